// Added to the end of a report by the test: uses the page as a reader would and writes the results into the document, one
// line "PASS what" or "FAIL what" per check. window.reportErrors has been collected since the page began to load. Everything
// happens at once when the page has loaded: the browser does not wait for anything later.
addEventListener('load', () => {
    'use strict';
    const lines = [];
    const check = (what, holds) => lines.push(`${holds ? 'PASS' : 'FAIL'} ${what}`);
    const one = (selector) => document.querySelector(selector);
    const all = (selector) => [...document.querySelectorAll(selector)];
    const press = (target, key) =>
        target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));

    const checkImages = () => {
        check('every image is there', all('img').every((img) => img.complete && img.naturalWidth > 0));
        check('every image has a description', all('img').every((img) => img.alt.length > 0));
        const large = all('img').filter((img) => img.clientWidth > 1.5 * img.naturalWidth);
        check('enlarged images keep their pixels',
            large.length > 0 && large.every((img) => getComputedStyle(img).imageRendering === 'pixelated'));
    };

    const checkSlider = () => {
        const box = one('.compare');
        const range = one('.compare input');
        const clip = () => getComputedStyle(one('.compare .right')).clipPath;
        const middle = clip();
        range.value = 20;
        range.dispatchEvent(new Event('input', { bubbles: true }));
        check(`the slider moves the clip (${middle} to ${clip()})`, clip() !== middle && clip().includes('20%'));
        press(range, 'ArrowRight');
        check(`an arrow key moves the slider (${range.value})`, Number(range.value) === 22 && clip().includes('22%'));
        const frame = box.getBoundingClientRect();
        const point = (kind, share) => box.dispatchEvent(new PointerEvent(kind,
            { clientX: frame.left + share * frame.width, clientY: frame.top + 5, button: 0, bubbles: true, cancelable: true }));
        point('pointerdown', 0.75);
        check(`pressing moves the slider (${range.value})`, Math.abs(range.value - 75) < 1);
        check('pressing gives it the keyboard', document.activeElement === range);
        point('pointermove', 0.4);
        check(`dragging moves the slider (${range.value})`, Math.abs(range.value - 40) < 1);
        point('pointerup', 0.4);
        point('pointermove', 0.9);
        check('releasing ends the drag', Math.abs(range.value - 40) < 1);
        check(`the slider has a text (${range.getAttribute('aria-valuetext')})`,
            range.getAttribute('aria-valuetext') === '40 % before, 60 % after');
        const pair = all('.pairs input')[2];
        if (!pair) return;
        pair.click();
        check('the truth can be chosen', one('.compare .left').dataset.name === 'after' &&
            one('.compare .right').dataset.name === 'truth' && getComputedStyle(one('[data-name=before]')).display === 'none');
    };

    const checkMosaic = () => {
        const atoms = all('.mosaic button');
        const shown = () => one('.mosaic output').textContent;
        check('an atom is described only on request', !shown().startsWith('Atom'));
        atoms[0].focus();
        check(`focus shows the use (${shown()})`, /^Atom \d+, use \S+, 1st of/.test(shown()));
        press(atoms[0], 'ArrowRight');
        check(`an arrow key moves on (${shown()})`, shown().includes('2nd of') && document.activeElement === atoms[1]);
        press(atoms[1], 'End');
        check('End goes to the last', document.activeElement === atoms[atoms.length - 1]);
        atoms[2].dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
        check(`pointing shows it (${shown()})`, shown().includes('3rd of'));
        atoms[3].click();
        check(`tapping shows it (${shown()})`, shown().includes('4th of'));
        check('one atom is in the order of the Tab key', atoms.filter((atom) => atom.tabIndex === 0).length === 1);
        const [width, height] = [atoms[0].offsetWidth, atoms[0].offsetHeight];
        check(`an atom can be hit (${width} x ${height})`, width >= 24 && height >= 24);
        check(`${atoms.length} atoms are drawn`, atoms.length > 0);
    };

    const checkSprite = () => {
        const [, data] = getComputedStyle(one('.images button')).backgroundImage.match(/^url\("data:image\/png;base64,(.*)"\)$/);
        const header = [...atob(data.slice(0, 32))].map((letter) => letter.charCodeAt(0));
        const width = header[18] * 256 + header[19];    // of a PNG file
        check(`the atoms are painted (${width} pixels across)`, width === 32 * (8 + 2));
    };

    const checkPages = () => {
        const box = one('.pages');
        const rows = all('.pages tbody tr');
        check(`${rows.length} pages are listed`, rows.length > 0);
        check(`the list of pages scrolls (${box.scrollHeight} in ${box.clientHeight})`, box.scrollHeight > box.clientHeight);
        box.scrollTop = 1000;
        const heading = one('.pages thead th').getBoundingClientRect();
        check('its heading stays in sight', Math.abs(heading.top - box.getBoundingClientRect().top) < 2);
        const examples = all('.examples .compare').map((example) => example.getBoundingClientRect());
        check(innerWidth < 700 ? 'examples stand below each other' : 'examples stand side by side', examples.length === 3 &&
            (innerWidth < 700 ? examples[1].top >= examples[0].bottom : examples[1].left >= examples[0].right));
    };

    const checkLayout = () => {
        const root = document.documentElement;
        check(`nothing overflows (${root.scrollWidth} in ${innerWidth})`, root.scrollWidth <= innerWidth);
        const maps = all('.maps figure').map((figure) => figure.getBoundingClientRect());
        if (maps.length === 2)
            check(innerWidth < 700 ? 'maps stand below each other' : 'maps stand side by side',
                innerWidth < 700 ? maps[1].top >= maps[0].bottom : maps[1].left >= maps[0].right);
        const plots = all('.frame svg');
        check(`${plots.length} plots are drawn`, plots.length > 0 && plots.every((svg) => svg.getBoundingClientRect().width > 200));
        const [red, green, blue] = getComputedStyle(root).backgroundColor.match(/\d+/g).map(Number);
        const dark = matchMedia('(prefers-color-scheme: dark)').matches;
        check(`the page is ${dark ? 'dark' : 'light'}`, dark ? red + green + blue < 150 : red + green + blue > 600);
    };

    const checkPrinting = () => {
        const details = one('details');
        dispatchEvent(new Event('beforeprint'));
        check('details are open in print', details.open);
        dispatchEvent(new Event('afterprint'));
        check('and closed again', !details.open);
    };

    try {
        if (one('.compare')) checkSlider();
        if (one('img')) checkImages();
        checkMosaic();
        if (one('.images')) checkSprite();
        if (one('.pages')) checkPages();
        checkLayout();
        checkPrinting();
        const loaded = performance.getEntriesByType('resource').map((entry) => entry.name);
        check(`nothing is fetched (${loaded.filter((name) => !name.startsWith('data:'))})`,
            loaded.every((name) => name.startsWith('data:')));
    } catch (error) {
        check(`no check threw: ${error}`, false);
    }
    check(`no errors (${window.reportErrors.join('; ')})`, window.reportErrors.length === 0);
    const result = document.createElement('pre');
    result.id = 'checks';
    result.textContent = [...lines, 'DONE'].join('\n');
    document.body.append(result);
});
