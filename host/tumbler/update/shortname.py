"""Private names of the firmware made short, and the same short ones in every file: a chip keeps each word only once.

MicroPython keeps some 16 bytes for every name it has met, for ever. A name with an underscore that one file alone uses, for `self`
or for itself, may be any word: here it is `_a`, `_b` ... anew in each file. An error's trace then names the file and a short
word; the same sources always give the same, and `python -m tumbler.update.shortname round _c` says what it was.
Not for constants: shrink.py, which comes first.
"""

from __future__ import annotations

import ast
import string
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import count, product


def shortened(sources: Mapping[str, str], fixed: Mapping[str, str]) -> dict[str, str]:
    """Path -> source. `fixed` goes with it as it is: what it names keeps its name."""
    trees = {path: ast.parse(text) for path, text in sources.items()}
    chosen = chosen_names(trees, fixed)
    return {path: ast.unparse(_Renamer(chosen[path]).visit(tree)) + "\n" for path, tree in trees.items()}


def chosen_names(trees: Mapping[str, ast.Module], fixed: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Of each file: its long names and the short ones that stand for them."""
    users: dict[str, set[str]] = defaultdict(set)
    for path, tree in (*trees.items(), *((path, ast.parse(text)) for path, text in fixed.items())):
        for name in _words(tree):
            users[name].add(path)
    kept = {name for tree in trees.values() for name in _kept(tree)}
    family = _families(trees)
    chosen: dict[str, dict[str, str]] = {path: {} for path in trees}
    fresh: dict[str, Iterator[str]] = defaultdict(lambda: _short(users))
    for name in sorted(users):
        (first, *others) = users[name]
        if _private(name) and not others and first in trees and name not in kept:
            chosen[first][name] = next(fresh[family[first]])
    return chosen


def _private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def _short(taken: Mapping[str, object]) -> Iterator[str]:
    for length in count(1):
        for letters in product(string.ascii_lowercase, repeat=length):
            name = "_" + "".join(letters)
            if name not in taken:
                yield name


def _words(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


def _kept(tree: ast.AST) -> Iterator[str]:
    """Names that mean something elsewhere: arguments, imports, words in quotation marks, attributes of others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.keyword):
            yield node.arg or ""
        elif isinstance(node, ast.alias):
            yield node.asname or node.name
        elif isinstance(node, ast.Global):
            yield from node.names
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Attribute) and not (isinstance(node.value, ast.Name) and node.value.id == "self"):
            yield node.attr


def _families(trees: Mapping[str, ast.Module]) -> dict[str, str]:
    """Files whose classes are one another's bases have their names in the same objects: path -> one path of its family."""
    family = {path: path for path in trees}
    for path, tree in trees.items():
        homes = _homes(tree, trees)
        for node in ast.walk(tree):
            for base in node.bases if isinstance(node, ast.ClassDef) else ():
                word = base.value if isinstance(base, ast.Attribute) else base
                home = homes.get(word.id) if isinstance(word, ast.Name) else None
                if home is not None:
                    old, new = family[path], family[home]
                    family = {each: new if of == old else of for each, of in family.items()}
    return family


def _homes(tree: ast.Module, trees: Mapping[str, ast.Module]) -> dict[str, str]:
    """Word -> path of the file that it was imported from, or that it stands for."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            folder = node.module.replace(".", "/")
            for name in node.names:
                for path in (f"{folder}/{name.name}.py", f"{folder}.py", f"{folder}/__init__.py"):
                    if path in trees:
                        found[name.asname or name.name] = path
                        break
    return found


class _Renamer(ast.NodeTransformer):
    def __init__(self, chosen: Mapping[str, str]) -> None:
        self._chosen = chosen

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._chosen.get(node.id, node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = self._chosen.get(node.attr, node.attr)
        self.generic_visit(node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self._chosen.get(node.name, node.name)
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = self._chosen.get(node.name, node.name)
        self.generic_visit(node)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        return plain_assignment(node)


def plain_assignment(node: ast.Assign) -> ast.AST:
    """`a, b = c, d` without the brackets that unparse() puts: with them MicroPython would make a tuple."""
    if isinstance(node.value, ast.Tuple) and isinstance(node.targets[0], ast.Tuple) and len(node.targets) == 1:
        values = ", ".join([ast.unparse(value) for value in node.value.elts])
        targets = ", ".join([ast.unparse(target) for target in node.targets[0].elts])
        return ast.Expr(ast.Name(f"{targets} = {values}", ast.Load()))
    return node


def main(words: list[str]) -> int:
    from tumbler.update import build

    if len(words) != 2:
        print("usage: python -m tumbler.update.shortname FILE NAME, as an error's trace has them", file=sys.stderr)
        return 2
    found = [
        f"{path}: {long}"
        for path, names in build.short_names().items()
        for long, short in names.items()
        if short == words[1] and path.removesuffix(".py").rpartition("/")[2] == words[0]
    ]
    print("\n".join(found) or f"{words[1]} is no short name in {words[0]}: it stands for itself")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
