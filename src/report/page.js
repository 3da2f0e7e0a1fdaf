// The report's script: moves the divider between two images, describes the atom that is pointed at, opens
// everything for printing. Without it the page still shows all of its content.
(() => {
    'use strict';

    // Pixels stay sharp where an image is enlarged.
    const markEnlarged = () => {
        for (const img of document.querySelectorAll('img')) {
            img.classList.toggle('enlarged', img.clientWidth * devicePixelRatio > 1.2 * img.naturalWidth);
        }
    };

    const startCompare = (box) => {
        const range = box.querySelector('input[type=range]');
        const figure = (name) => box.querySelector(`figure[data-name=${name}]`);
        const words = (side) => box.querySelector(`figure.${side} figcaption`).textContent.toLowerCase();
        const show = () => {
            const left = Math.round(range.value);
            box.style.setProperty('--split', `${range.value}%`);
            range.setAttribute('aria-valuetext', `${left} % ${words('left')}, ${100 - left} % ${words('right')}`);
        };
        const follow = (event) => {
            const frame = box.getBoundingClientRect();
            range.value = 100 * (event.clientX - frame.left) / frame.width;
            show();
        };
        range.addEventListener('input', show);
        range.addEventListener('keydown', (event) => {    // a range without steps would move by a step of the browser's choice
            const steps = { ArrowLeft: -2, ArrowDown: -2, ArrowRight: 2, ArrowUp: 2, PageDown: -10, PageUp: 10 };
            if (!(event.key in steps)) return;
            event.preventDefault();
            range.value = Number(range.value) + steps[event.key];
            show();
        });
        let dragging = false;
        box.addEventListener('pointerdown', (event) => {
            if (event.button !== 0) return;
            dragging = true;
            range.focus({ preventScroll: true });
            if (event.pointerType === 'mouse') event.preventDefault();    // otherwise it would remove the focus again
            follow(event);
        });
        addEventListener('pointermove', (event) => {
            if (dragging) follow(event);
        });
        for (const end of ['pointerup', 'pointercancel']) {
            addEventListener(end, () => { dragging = false; });
        }
        for (const pair of document.querySelectorAll('.pairs input')) {
            pair.addEventListener('change', () => {
                for (const each of box.querySelectorAll('figure')) each.className = '';
                figure(pair.dataset.left).className = 'left';
                figure(pair.dataset.right).className = 'right';
                show();
                markEnlarged();
            });
        }
        show();
    };

    const startMosaic = (mosaic) => {
        const atoms = [...mosaic.querySelectorAll('button')];
        const view = mosaic.querySelector('.view');
        const output = mosaic.querySelector('output');
        let chosen = atoms[0];
        const paint = (atom) => {
            const drawing = atom.querySelector('svg');
            if (drawing) {
                view.replaceChildren(drawing.cloneNode(true));
            } else {
                for (const name of ['--x', '--y']) view.style.setProperty(name, atom.style.getPropertyValue(name));
            }
        };
        const choose = (atom) => {
            chosen.classList.remove('on');
            chosen.tabIndex = -1;
            chosen = atom;
            chosen.classList.add('on');
            chosen.tabIndex = 0;
            output.textContent = atom.getAttribute('aria-label');
            output.className = 'filled';
            paint(atom);
        };
        const atomsInRow = () => {
            const next = atoms.findIndex((atom) => atom.offsetTop > atoms[0].offsetTop);
            return next < 0 ? atoms.length : next;
        };
        for (const kind of ['pointerover', 'focusin', 'click']) {
            mosaic.addEventListener(kind, (event) => {
                const atom = event.target.closest('button');
                if (atom) choose(atom);
            });
        }
        mosaic.addEventListener('keydown', (event) => {
            const at = atoms.indexOf(chosen);
            const to = {
                ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - atomsInRow(), ArrowDown: at + atomsInRow(),
                Home: 0, End: atoms.length - 1,
            }[event.key];
            if (to === undefined) return;
            event.preventDefault();
            if (atoms[to]) atoms[to].focus();
        });
        paint(chosen);
    };

    const openForPrinting = () => {
        let opened = [];
        addEventListener('beforeprint', () => {
            opened = [...document.querySelectorAll('details:not([open])')];
            for (const details of opened) details.open = true;
        });
        addEventListener('afterprint', () => {
            for (const details of opened) details.open = false;
        });
    };

    document.querySelectorAll('.compare').forEach(startCompare);
    document.querySelectorAll('.mosaic').forEach(startMosaic);
    openForPrinting();
    markEnlarged();
    addEventListener('load', markEnlarged);
    addEventListener('resize', markEnlarged);
})();
