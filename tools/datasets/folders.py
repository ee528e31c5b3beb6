"""Lays the paper's data sets out as evaluate reads photos: OUT/SET/train/CLASS/N.png,
OUT/SET/test/CLASS/N.png, with the names of all classes in OUT/names.tsv and the
tasks, in the paper's order and with its prompts, in OUT/paper.toml.

    pip install torchvision scipy
    python3 tools/datasets/folders.py --root DOWNLOADS --out OUT cifar100 food101 ...

torchvision downloads into DOWNLOADS what may be downloaded, and says what has to
be put there by hand (doc/evaluation.md). A set that is there already is left alone.
"""
import argparse
import os
import random
import re
import shutil


def fixed(name, train, test):
    """The data set's own splits, as keywords of its torchvision class."""
    def load(root):
        import torchvision.datasets as sets
        return [getattr(sets, name)(root, download=True, **split) for split in (train, test)]
    return load


def drawn(name):
    """No splits of its own: 60 % train, 20 % test of a permutation, as the authors draw."""
    def load(root):
        import torchvision.datasets as sets
        whole = getattr(sets, name)(root, download=True)
        order = list(range(len(whole)))
        random.Random(0).shuffle(order)
        a, b = int(.6 * len(order)), int(.8 * len(order))
        return [Part(whole, order[:a]), Part(whole, order[a:b])]
    return load


def asked(name, **split):
    """A zero-shot task: nothing to teach."""
    def load(root):
        import torchvision.datasets as sets
        return [None, getattr(sets, name)(root, **split)]
    return load


def frames(root):
    """UCF101 as middle frames, OUT of which torchvision makes nothing: CLASS/FILE."""
    import torchvision.datasets as sets
    return [None, sets.ImageFolder(os.path.join(root, "ucf101"))]


class Part:
    """Some rows of a data set."""

    def __init__(self, whole, rows):
        self.whole, self.rows, self.classes = whole, rows, whole.classes

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.whole[self.rows[i]]


def split(name):
    return {"split": name}


PHOTO = "a photo of a {}."
SETS = {  # how to load it, and the authors' prompt
    "cifar100": (fixed("CIFAR100", {"train": True}, {"train": False}), PHOTO),
    "sun397": (drawn("SUN397"), PHOTO),
    "eurosat": (drawn("EuroSAT"), "a centered satellite photo of {}."),
    "pets": (fixed("OxfordIIITPet", split("trainval"), split("test")), "a photo of a {}, a type of pet."),
    "flowers102": (fixed("Flowers102", split("train"), split("val")), "a photo of a {}, a type of flower."),
    "aircraft": (fixed("FGVCAircraft", split("train"), split("val")), "a photo of a {}, a type of aircraft."),
    "cars": (fixed("StanfordCars", split("train"), split("test")), "a photo of a {}, a type of car."),
    "food101": (fixed("Food101", split("train"), split("test")), "a photo of {}, a type of food."),
    "imagenet": (asked("ImageNet", split="val"), PHOTO),
    "ucf101": (frames, "a video of a person doing {}."),
    "dtd": (asked("DTD", split="val", download=True), "a photo of a {} texture."),
}


CAMEL = ("eurosat", "ucf101")  # sets whose classes are written LikeThis


def words(name, camel=False):
    """A class in words: ImageNet gives several names, SUN397 a path, others underscores."""
    if isinstance(name, tuple):
        name = name[0]
    if camel:
        name = re.sub("(?<=[a-z])(?=[A-Z])", " ", name)
    return " ".join(str(name).replace("_", " ").replace("/", " ").split())


def write(name, parts, out):
    """Writes one set's images and returns the lines of its names. What is not whole
    has another name until it is."""
    done, half = os.path.join(out, name), os.path.join(out, name + ".part")
    classes = next(p for p in parts if p is not None).classes
    folders = ["%04d" % i for i in range(len(classes))]
    if not os.path.isdir(done):
        shutil.rmtree(half, ignore_errors=True)
        for side, part in zip(("train", "test"), parts):
            if part is None:
                continue
            for folder in folders:
                os.makedirs(os.path.join(half, side, folder))
            for i in range(len(part)):
                image, label = part[i]
                image.convert("RGB").save(os.path.join(half, side, folders[label], "%06d.png" % i))
        os.rename(half, done)
    return ["%s/%s\t\t%s\n" % (name, f, words(c, name in CAMEL)) for f, c in zip(folders, classes)]


ZERO_SHOT = ("imagenet", "ucf101", "dtd")


def manifest(out):
    """A manifest of the sets that are there."""
    text = 'name = "paper"\nnames = "names.tsv"\n'
    for name, (_, prompt) in SETS.items():
        if os.path.isdir(os.path.join(out, name)):
            text += '\n[[task]]\nname = "%s"\nphotos = "."\nfolder = "%s"\nprompt = "%s"\n' % (name, name, prompt)
            text += "zero_shot = true\n" if name in ZERO_SHOT else ""
    return text


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--root", required=True, help="folder of downloads")
    args.add_argument("--out", required=True, help="folder for the sets")
    args.add_argument("sets", nargs="+", choices=sorted(SETS), metavar="SET", help=", ".join(sorted(SETS)))
    a = args.parse_args()
    os.makedirs(a.out, exist_ok=True)
    table = os.path.join(a.out, "names.tsv")
    for name in a.sets:
        lines = write(name, SETS[name][0](a.root), a.out)
        kept = []
        if os.path.exists(table):
            with open(table, encoding="utf-8") as f:
                kept = [line for line in f if not line.startswith(name + "/")]
        with open(table + ".part", "w", encoding="utf-8") as f:
            f.writelines(kept + lines)
        os.replace(table + ".part", table)
        with open(os.path.join(a.out, "paper.toml"), "w", encoding="utf-8") as f:
            f.write(manifest(a.out))
        print(name, "is in", os.path.join(a.out, name))


if __name__ == "__main__":
    main()
