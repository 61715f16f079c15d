"""Names photos by an exported model, without Yoke:

    yoke export RUN -o model.ts
    python3 classify.py model.ts PHOTO...
"""
import json
import sys

import torch
from PIL import Image, ImageOps


def read_photo(path, about):
    """The part of a photo that the model sees, normalised: fp32 [1, channels, height, width]."""
    channels, height, width = about["input"]
    photo = ImageOps.exif_transpose(Image.open(path)).convert("RGB")
    rows = about["centre"] * min(photo.height, photo.width * height / width)
    columns = rows * width / height
    left, top = (photo.width - columns) / 2, (photo.height - rows) / 2
    middle = (left, top, left + columns, top + rows)
    photo = photo.resize((width, height), Image.BILINEAR, box=middle)
    if channels == 1:
        photo = photo.convert("L")
    pixels = torch.tensor(list(photo.tobytes()), dtype=torch.float32) / 255
    pixels = pixels.view(1, height, width, channels).permute(0, 3, 1, 2)
    mean, deviation = (torch.tensor(about[key]).view(1, -1, 1, 1) for key in ("mean", "deviation"))
    return (pixels - mean) / deviation


def main(path, *photos):
    extra = {"yoke": ""}
    model = torch.jit.load(path, _extra_files=extra)
    about = json.loads(extra["yoke"])
    for photo in photos:
        with torch.no_grad(), torch.jit.optimized_execution(False):
            probabilities = torch.softmax(model(read_photo(photo, about)), 1)[0]
        likeliest = probabilities.argsort(descending=True)[:3].tolist()
        print(photo, *(f"{about['classes'][i]} {probabilities[i]:.2%}" for i in likeliest), sep="  ")


if __name__ == "__main__":
    main(*sys.argv[1:])
