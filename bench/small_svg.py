"""Graphs of gnuplot in fewer bytes."""
import re
import xml.etree.ElementTree as xml

SVG = "http://www.w3.org/2000/svg"


def small(svg):
    """The same picture, without what nothing in it points to."""
    xml.register_namespace("", SVG)
    xml.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    tree = xml.fromstring(svg)
    for parent in list(tree.iter()):
        for child in list(parent):
            empty = child.tag == f"{{{SVG}}}g" and len(child) == 0 and not (child.text or "").strip()
            if child.tag in (f"{{{SVG}}}title", f"{{{SVG}}}desc") or empty:
                parent.remove(child)
    prune(tree)
    text = xml.tostring(tree, encoding="unicode")
    return re.sub(r"\s*\n\s*", "\n", text) + "\n"


def prune(tree):
    """Definitions point to others: as long as one goes."""
    for definitions in tree.iter(f"{{{SVG}}}defs"):
        gone = True
        while gone:
            text = xml.tostring(tree, encoding="unicode")
            gone = [child for child in definitions
                    if f'"#{child.get("id")}"' not in text and f"url(#{child.get('id')})" not in text]
            for child in gone:
                definitions.remove(child)
