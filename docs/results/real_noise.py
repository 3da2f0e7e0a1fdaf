"""Noise as real images have it: what `sbdl denoise` finds and what it makes of it.

Run as python docs/results/real_noise.py PROGRAM PART [FOLDER] [--side N] [--only WORD ...]. PROGRAM is the path of
sbdl. With --side the images are squares of N x N pixels from their middle, and with --only those rows are made whose
image and noise hold one of the words. PART is one of

- poisson: scikit-image's photographs with Poisson-Gaussian noise: gain, read noise, mean, PSNR, and the PSNR of the
  same pipeline given the truth;
- eight-bit: the same, the peak at 180 and the offset at 0 or 40, rounded and clipped to 0 and 255;
- white: white Gaussian noise, which must be treated as before (`--noise gaussian`);
- correlated: noise that was blurred, resized, demosaicked or compressed;
- shared: Poisson noise of 60 counts that was blurred or enlarged: it grows, and neighbouring pixels share it;
- chessboards: exact patterns without noise, which must stay as they are;
- colour-white: white noise in 8-bit colour, which must not be taken to grow;
- named: in which photographs stripes or salt and pepper are named, with them and with other noise;
- pairs: the pairs *-noisy.png and *-truth.png in FOLDER.

It needs NumPy, SciPy, scikit-image and Pillow. Noise comes from NumPy's default_rng with fixed seeds.
"""

import argparse
import io
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.ndimage import convolve, gaussian_filter, zoom
from skimage import color, data

OTHERS = ("shared", "chessboards", "colour-white", "named")
BLURS = ((0.5, 1.3), (0.7, 1.8), (1.0, 3.0))  # pixels, and what noise is multiplied by afterwards


def arguments():
    """Return the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("part", choices=("poisson", "eight-bit", "white", "correlated", *OTHERS, "pairs"))
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--side", type=int)
    parser.add_argument("--only", nargs="*", default=[])
    return parser.parse_args()


def middle(image):
    """Return the square in the middle, if one was asked for."""
    if ARGUMENTS.side is None:
        return image
    top, left = ((length - ARGUMENTS.side) // 2 for length in image.shape[:2])
    return image[top : top + ARGUMENTS.side, left : left + ARGUMENTS.side]


def wanted(*words):
    """Return whether this row is to be made."""
    return not ARGUMENTS.only or any(only in " ".join(map(str, words)) for only in ARGUMENTS.only)


def photographs():
    """Return grey training photographs, 0 to 1; none of them is in another table."""
    grey = {
        "camera": data.camera() / 255.0,
        "astronaut": color.rgb2gray(data.astronaut()),
        "coffee": color.rgb2gray(data.coffee()),
    }
    return {name: middle(image / image.max()) for name, image in grey.items()}


def psnr(truth, image, peak):
    """Return the peak signal-to-noise ratio in dB."""
    return 10.0 * np.log10(peak**2 / np.mean((np.asarray(truth, float) - np.asarray(image, float)) ** 2))


def denoise(image, *options):
    """Return the clean image and the program's JSON."""
    with tempfile.TemporaryDirectory() as folder:
        noisy, clean = Path(folder) / "noisy.npy", Path(folder) / "clean.npy"
        np.save(noisy, image)
        command = [ARGUMENTS.program, "denoise", noisy, "-o", clean, "--json", "--quiet", *options]
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
        return np.load(clean), json.loads(run.stdout)


def row(*cells):
    """Print one row of a table."""
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def poisson(eight_bit):
    """Print gain, read noise, mean and PSNR for known Poisson-Gaussian noise."""
    row(
        "image",
        "peak",
        "read noise",
        "offset",
        "taken for",
        "gain",
        "read noise",
        "mean",
        "noisy",
        "PSNR",
        "given the truth",
    )
    row(":--", *["--:"] * 3, ":--", *["--:"] * 6)
    cases = [
        (name, image, peak, read, offset)
        for name, image in photographs().items()
        for peak in (5, 10, 30, 120)
        for read in (0, 2, 5)
        for offset in ((0, 40 if eight_bit else 100) if read == 2 else (0,))
        if wanted(name, "peak", peak, "read", read, "offset", offset)
    ]
    for name, image, peak, read, offset in cases:
        rng = np.random.default_rng(peak + 1000 * read)
        scale = 180.0 / peak if eight_bit else 1.0
        noisy = scale * (rng.poisson(peak * image) + read * rng.standard_normal(image.shape)) + offset
        if eight_bit:
            noisy = np.clip(np.round(noisy), 0, 255).astype(np.uint8)
        truth = scale * peak * image + offset
        where = ("--offset", offset) if offset else ()
        clean, found = denoise(noisy, *where)
        given, _ = denoise(noisy, "--gain", scale, "--read-noise", scale * read, "--offset", offset)
        plane = found["noise"]["planes"][0]
        mean = (clean.mean(dtype=float) - offset) / (truth.mean() - offset)
        row(
            name,
            peak,
            read,
            offset,
            found["noise"]["kind"],
            f"{plane['gain'] / scale:.3f}" if plane["grows"] else "",
            f"{plane['read_noise'] / scale:.2f}" if plane["grows"] else "",
            f"{mean:.4f}",
            *(f"{psnr(truth, x, scale * peak):.2f}" for x in (noisy, clean, given)),
        )


def white():
    """Print whether white noise is treated as before."""
    row("image", "sigma", "samples", "taken for", "found", "PSNR", "`--noise gaussian`", "float result")
    row(":--", "--:", ":--", ":--", *["--:"] * 3, ":--")
    for name, image in photographs().items():
        for sigma in (5, 15, 25, 50):
            if not wanted(name, sigma):
                continue
            rng = np.random.default_rng(sigma)
            noisy = 255.0 * image + sigma * rng.standard_normal(image.shape)
            for kind, pixels in (("float", noisy), ("8 bit", np.clip(np.round(noisy), 0, 255).astype(np.uint8))):
                automatic, found = denoise(pixels)
                before, _ = denoise(pixels, "--noise", "gaussian")
                row(
                    name,
                    sigma,
                    kind,
                    found["noise"]["kind"],
                    f"{found['noise_sd']:.2f}",
                    *(f"{psnr(255.0 * image, x, 255):.2f}" for x in (automatic, before)),
                    "same" if np.array_equal(automatic, before) else "DIFFERS",
                )


def jpeg(image, quality, subsampling=0):
    """Return the image after JPEG compression."""
    file = io.BytesIO()
    Image.fromarray(np.clip(np.round(image), 0, 255).astype(np.uint8)).save(
        file, "JPEG", quality=quality, subsampling=subsampling
    )
    return np.asarray(Image.open(file))


def demosaicked(image):
    """Return a colour image after a Bayer pattern and bilinear interpolation."""
    rows, cols = np.indices(image.shape[:2])
    kernel = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 4.0
    planes = []
    for plane, mask in enumerate(
        [(rows % 2 == 0) & (cols % 2 == 0), (rows + cols) % 2 == 1, (rows % 2 == 1) & (cols % 2 == 1)]
    ):
        known = convolve(np.where(mask, image[..., plane], 0.0), kernel, mode="mirror")
        planes.append(known / convolve(mask.astype(float), kernel, mode="mirror"))
    return np.stack(planes, axis=-1)


def correlated_cases(image, sigma, rng):
    """Yield name, truth, noisy image of every kind of correlated noise; all on a scale of 0 to 255."""
    white_noise = sigma * rng.standard_normal(image.shape)
    planes = (1.0, 1.0, 0.0)[: image.ndim]
    for blur in (0.5, 0.7, 1.0):
        noise = gaussian_filter(white_noise, [blur * axis for axis in planes])
        yield f"blur {blur}", image, image + noise * (sigma / noise.std())
    for quality in (75, 85, 95):
        yield f"JPEG {quality}, 4:4:4", image, jpeg(image + white_noise, quality)
        if image.ndim == 3:
            yield f"JPEG {quality}, 4:2:0", image, jpeg(image + white_noise, quality, 2)
    small = [n // 2 * 2 for n in image.shape[:2]]
    part, noisy = image[: small[0], : small[1]], (image + white_noise)[: small[0], : small[1]]

    def half(x):
        return x.reshape(small[0] // 2, 2, small[1] // 2, 2, *x.shape[2:]).mean(axis=(1, 3))

    yield "half size", half(part), half(noisy)
    factors = [2 if axis else 1 for axis in planes]
    quarter = np.s_[: small[0] // 2, : small[1] // 2]
    for order, name in ((1, "bilinear"), (3, "cubic")):
        yield (
            f"twice the size, {name}",
            zoom(part[quarter], factors, order=order),
            zoom(noisy[quarter], factors, order=order),
        )
    if image.ndim == 3:
        yield "demosaicked", demosaicked(image), demosaicked(image + white_noise)


def correlated():
    """Print PSNR before and after for correlated noise."""
    row("image", "sigma", "noise", "found", "correlation", "before", "after", "seconds")
    row(":--", "--:", ":--", *["--:"] * 5)
    images = {"camera": middle(data.camera()).astype(float), "chelsea, colour": middle(data.chelsea()).astype(float)}
    for name, image in images.items():
        for sigma in (5, 15):
            for noise, truth, noisy in correlated_cases(image, sigma, np.random.default_rng(sigma)):
                if not wanted(name, sigma, noise):
                    continue
                clean, found = denoise(noisy)
                correlation = [f"{value:.2f}" for value in found["noise"].get("correlation", [])]
                before, after = psnr(truth, noisy, 255), psnr(truth, np.clip(clean, 0, 255), 255)
                row(
                    name,
                    sigma,
                    noise,
                    f"{found['noise_sd']:.2f}",
                    " ".join(correlation),
                    f"{before:.2f}",
                    f"{after:.2f}" + (" **worse**" if after < before else ""),
                    f"{found['seconds']:.1f}",
                )


def shared():
    """Print what is found of noise that grows and that neighbouring pixels share, and PSNR before and after."""
    row("image", "noise", "taken for", "gain", "correlation", "noisy", "PSNR")
    row(":--", ":--", ":--", *["--:"] * 4)
    for name, image in photographs().items():
        truth = 255.0 * image
        rng = np.random.default_rng(4)
        noise = 255.0 / 60.0 * rng.poisson(60.0 * image) - truth
        quarter = np.s_[: truth.shape[0] // 2, : truth.shape[1] // 2]
        cases = [(f"blur {blur}", truth, truth + scale * gaussian_filter(noise, blur)) for blur, scale in BLURS]
        cases.append(("twice the size", *(zoom(x[quarter], 2, order=1) for x in (truth, truth + noise))))
        for kind, clean_image, noisy in cases:
            if not wanted(name, kind):
                continue
            clean, found = denoise(noisy, "--quality", "fast", "--method", "dct", "--atoms", 64, "--threads", 1)
            row(
                name,
                kind,
                found["noise"]["kind"],
                f"{found['noise']['planes'][0].get('gain', 0.0):.2f}",
                f"{found['noise']['correlation'][0]:.2f}",
                *(f"{psnr(clean_image, np.clip(x, 0, 255), 255):.2f}" for x in (noisy, clean)),
            )


def chessboards():
    """Print what becomes of chessboards without noise."""
    row("side of a field", "noise found", "largest change")
    row("--:", "--:", "--:")
    rows, cols = np.indices((192, 192))
    for field in (2, 4, 6, 8):
        board = (80 + 100 * ((rows // field + cols // field) % 2)).astype(np.uint8)
        clean, found = denoise(board, "--threads", 1)
        row(field, f"{found['noise_sd']:.2f}", np.abs(clean.astype(float) - board).max())


def colour_white():
    """Print whether white noise in 8-bit colour is taken to grow."""
    row("image", "sigma", "taken for", "PSNR", "`--noise gaussian`")
    row(":--", "--:", ":--", "--:", "--:")
    for name, image in {"chelsea": data.chelsea(), "coffee": data.coffee(), "astronaut": data.astronaut()}.items():
        truth = middle(image).astype(float)
        for sigma in (15, 20, 25, 30):
            if not wanted(name, sigma):
                continue
            noise = sigma * np.random.default_rng(sigma).standard_normal(truth.shape)
            noisy = np.clip(np.round(truth + noise), 0, 255).astype(np.uint8)
            fast = ("--quality", "fast", "--method", "dct", "--atoms", 64, "--threads", 1)
            clean, found = denoise(noisy, *fast)
            known, _ = denoise(noisy, "--noise", "gaussian", *fast)
            row(name, sigma, found["noise"]["kind"], *(f"{psnr(truth, x, 255):.2f}" for x in (clean, known)))


def noisy_kinds(truth, rng):
    """Yield name and 8-bit image of every kind of noise for which stripes and impulses are searched."""
    white_noise = rng.standard_normal(truth.shape)
    lines = rng.standard_normal((truth.shape[0], 1))
    chance = rng.random(truth.shape)
    yield "none", truth
    for sigma in (5, 15, 40, 75):
        yield f"white, {sigma}", truth + sigma * white_noise
    blurred = gaussian_filter(white_noise, 0.7)
    yield "15, blur 0.7", truth + 15.0 / blurred.std() * blurred
    yield "Poisson, peak 60", 255.0 / 60.0 * rng.poisson(60.0 / 255.0 * truth)
    yield "white, 5, JPEG 75", jpeg(truth + 5.0 * white_noise, 75)
    for sigma in (3, 10):
        yield f"stripes of {sigma}, white, 5", truth + sigma * lines + 5.0 * white_noise
    for share in (0.02, 0.1):
        impulses = np.where(chance < share / 2, 0.0, np.where(chance < share, 255.0, truth + 5.0 * white_noise))
        yield f"salt and pepper of {share:.0%}, white, 5", impulses


def named():
    """Print in how many photographs stripes, and salt and pepper, are named."""
    names = "astronaut brick camera chelsea coffee coins grass gravel hubble_deep_field immunohistochemistry moon page"
    counts = {}
    for name in [*names.split(), "retina", "rocket", "text"]:
        image = getattr(data, name)()
        side = min(256, *image.shape[:2])
        top, left = ((length - side) // 2 for length in image.shape[:2])
        truth = image[top : top + side, left : left + side].astype(float)
        truth = truth.mean(axis=2) if truth.ndim == 3 else truth
        for kind, noisy in noisy_kinds(truth, np.random.default_rng(7)):
            if not wanted(name, kind):
                continue
            pixels = np.clip(np.round(noisy), 0, 255).astype(np.uint8)
            _, found = denoise(pixels, "--quality", "fast", "--method", "dct", "--atoms", 64, "--threads", 1)
            noise, (striped, impulsive) = found["noise"], counts.setdefault(kind, ([], []))
            if noise["row_stripes"] or noise["column_stripes"]:
                striped.append(name)
            if noise["impulses"]:
                impulsive.append(name)
    row("noise", "stripes in", "salt and pepper in")
    row(":--", ":--", ":--")
    for kind, found_in in counts.items():
        row(kind, *(f"{len(images)}: {', '.join(images)}" if images else "0" for images in found_in))


def pairs(folder):
    """Print PSNR before and after for real pairs, with noise of one strength and as it is."""
    row("pair", "noisy", "one strength", "as it is", "seconds", "found")
    row(":--", *["--:"] * 4, ":--")
    sums = np.zeros(3)
    for path in sorted(Path(folder).glob("*-noisy.png")):
        noisy = np.asarray(Image.open(path))
        truth = np.asarray(Image.open(str(path).replace("-noisy", "-truth")))
        gaussian, _ = denoise(noisy, "--noise", "gaussian")
        clean, found = denoise(noisy)
        values = [psnr(truth, image, 255) for image in (noisy, gaussian, clean)]
        sums += values
        row(
            path.stem[: -len("-noisy")],
            *(f"{value:.2f}" for value in values),
            f"{found['seconds']:.1f}",
            "; ".join(found["noise"]["found"]),
        )
    row("mean", *(f"{value:.2f}" for value in sums / len(list(Path(folder).glob("*-noisy.png")))), "", "")


if __name__ == "__main__":
    ARGUMENTS = arguments()
    if ARGUMENTS.part in ("poisson", "eight-bit"):
        poisson(ARGUMENTS.part == "eight-bit")
    elif ARGUMENTS.part == "pairs":
        pairs(ARGUMENTS.folder)
    else:
        {
            "white": white,
            "correlated": correlated,
            "shared": shared,
            "chessboards": chessboards,
            "colour-white": colour_white,
            "named": named,
        }[ARGUMENTS.part]()
