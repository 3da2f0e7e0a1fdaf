"""What `sbdl inpaint` makes of scratches, letters and holes, and whether its standard deviations cover the errors.

The table "Scratches and letters" of inpainting.md: python inpainting_holes.py PROGRAM FOLDER IMAGE...
"""

import json
import subprocess
import sys

import numpy as np
from matplotlib import get_data_path
from PIL import Image, ImageDraw, ImageFont

sbdl, folder, names = sys.argv[1], sys.argv[2], sys.argv[3:]
FONT = f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf"
TEXT = "what is written over a photograph is missing in it, and the photograph goes on below"


def scratches(side, width):
    """Return three slanted scratches of this width, True where a pixel is observed."""
    mask = Image.new("1", (side, side), 1)
    draw = ImageDraw.Draw(mask)
    for start, end in ((0.1, 0.3), (0.45, 0.35), (0.7, 0.95)):
        draw.line([(start * side, -width), (end * side, side + width)], fill=0, width=width)
    return np.asarray(mask)


def letters(side, size):
    """Return lines of text in this size, True where a pixel is observed."""
    mask = Image.new("1", (side, side), 1)
    draw = ImageDraw.Draw(mask)
    for line, top in enumerate(range(4, side, 2 * size)):
        draw.text((-10 * line, top), TEXT, fill=0, font=ImageFont.truetype(FONT, size))
    return np.asarray(mask)


def hole(side, width):
    """Return a square hole of this width in the middle, True where a pixel is observed."""
    mask = np.ones((side, side), bool)
    first = (side - width) // 2
    mask[first : first + width, first : first + width] = False
    return mask


kinds = {f"scratches, {width} pixels wide": lambda side, width=width: scratches(side, width) for width in (3, 6, 10)}
kinds["letters, 16 pixels high"] = lambda side: letters(side, 16)
kinds["a square hole, 20 pixels wide"] = lambda side: hole(side, 20)
print("| missing | image | % | missing pixels (dB) | within 1 / 2 std | warned |\n|:--|:--|--:|--:|--:|:--|")
for kind, mask_of in kinds.items():
    for name in names:
        truth = Image.open(f"{folder}/{name}.png")
        seen = mask_of(truth.width)
        Image.fromarray((255 * seen).astype(np.uint8)).save("mask.png")
        words = [sbdl, "inpaint", truth.filename, "--mask", "mask.png", "-o", "full.png", "--std", "std.npy"]
        words += ["--keep-observed", "--clean", truth.filename, "--json", "--quiet", "--threads", "1"]
        told = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
        within = " / ".join(f"{100 * told[f'within_{times}_std']:.0f}" for times in (1, 2))
        warned = "yes" if any("too small" in warning for warning in told["warnings"]) else ""
        share = 100 * (1 - seen.mean())
        print(f"| {kind} | {name} | {share:.1f} | {told['psnr_missing']:.2f} | {within} | {warned} |", flush=True)
