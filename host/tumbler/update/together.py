"""Small modules of the program put into one file, before mpy-cross compiles it: the same program in fewer blocks of flash.

littlefs gives every file a block of 4096 bytes for itself, so a hundred small modules waste more than they hold. Those that are
always loaded together anyhow stand in one file here, as long as it stays within a block: nothing that is loaded grows by that,
and no function is laid out otherwise. A merger that could change what a name means ends the build.
"""

from __future__ import annotations

import ast
import symtable
from collections import defaultdict
from collections.abc import Mapping, Sequence

from tumbler.update.inplace import load_order

# The file -> what stands in it, in this order. Not what main.py names, nor what is imported by the module's own name, but the
# file itself; nor what is loaded later than the rest of its row.
TOGETHER: Mapping[str, Sequence[str]] = {
    "controller/table.py": ("controller/tamper.py", "controller/table.py"),
    "controller/commands.py": ("controller/commands.py", "controller/health.py", "controller/outbox.py"),
    "controller/outcome.py": ("controller/events.py", "controller/outcome.py", "controller/standing.py"),
    "controller/spin.py": ("controller/settings.py", "controller/spin.py", "controller/gamefile.py"),
    "controller/lamps.py": (
        "controller/lamps.py",
        "controller/panel.py",
        "controller/reader/consensus.py",
        "controller/log.py",
    ),
    "dicewire/messages.py": ("dicewire/messages.py", "dicewire/codec.py"),
    "dicewire/handshake.py": ("dicewire/clock.py", "dicewire/auth.py", "dicewire/handshake.py"),
    "dicewire/transfers.py": ("dicewire/bulk.py", "dicewire/transfers.py"),
    "drivers/registers.py": (
        "drivers/registers.py",
        "drivers/ina219.py",
        "drivers/lis3dh.py",
        "drivers/mcp23017.py",
        "drivers/motor.py",
    ),
    "drivers/panel.py": ("drivers/panel.py", "drivers/supply.py", "drivers/switch.py", "drivers/ws2812.py"),
    "drivers/iso15693.py": ("drivers/pn5180.py", "drivers/iso15693.py"),
    "drivers/arduchip.py": ("drivers/arduchip.py", "drivers/ov2640.py"),
}


Meaning = tuple[str, str]  # of a name: the module that it is taken from and its name there, or the file that defines it


class NotTogether(Exception):
    """Modules that can't stand in one file; the message says which, and why."""


def together(sources: Mapping[str, str], rows: Mapping[str, Sequence[str]] = TOGETHER) -> dict[str, str]:
    """Path -> source, of fewer files."""
    homes = {_dotted(path): _dotted(home) for home, paths in rows.items() for path in paths if path != home}
    trees = {path: ast.parse(text) for path, text in sources.items()}
    for path, tree in trees.items():
        _redirect(path, tree, homes)
    for home, paths in rows.items():
        trees[home] = _merged(home, {path: trees.pop(path) for path in paths})
    made = {path: ast.unparse(tree) + "\n" for path, tree in sorted(trees.items())}
    _check_order(made)
    return made


def _dotted(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _redirect(path: str, tree: ast.Module, homes: Mapping[str, str]) -> None:
    """What is taken from a module is taken from the file that it stands in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            whole = [name.name for name in node.names if f"{node.module}.{name.name}" in homes]
            node.module = homes.get(node.module, node.module)
        elif isinstance(node, ast.Import):
            whole = [name.name for name in node.names if name.name in homes]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            whole = [node.value] if node.value in homes else []  # a module that is called by its name, or given back
        else:
            continue
        if whole:
            raise NotTogether(f"{path} asks for the whole of {whole[0]}")


def _merged(home: str, trees: Mapping[str, ast.Module]) -> ast.Module:
    body: list[ast.stmt] = []
    known: dict[str, Meaning] = {}
    meanings: dict[str, set[Meaning]] = defaultdict(set)
    for path, tree in trees.items():
        used, bound = _names(tree, path)
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                for name in node.names:
                    bound[name.asname or name.name] = _meaning(path, node, name, home, known)
                node.names = [name for name in node.names if (name.asname or name.name) not in known]
                if not node.names:
                    continue
            body.append(node)
        for word in used | set(bound):
            meanings[word].add(bound.get(word, ("", word)))
        known.update(bound)
    double = sorted(word for word, several in meanings.items() if len(several) > 1)
    if double:
        raise NotTogether(f"{', '.join(double)} would mean two things in {home}")
    return ast.Module(body, [])


def _names(tree: ast.Module, path: str) -> tuple[set[str], dict[str, Meaning]]:
    """All names that are looked up in the module, and those that it gives a meaning to."""
    table = symtable.symtable(ast.unparse(tree), path, "exec")
    bound = {
        row.get_name(): (path, row.get_name()) for row in table.get_symbols() if row.is_assigned() or row.is_imported()
    }
    used, inner = set(table.get_identifiers()), list(table.get_children())
    while inner:
        scope = inner.pop()
        used |= {row.get_name() for row in scope.get_symbols() if row.is_global()}
        inner += scope.get_children()
    return used, bound


def _meaning(
    path: str, node: ast.Import | ast.ImportFrom, name: ast.alias, home: str, known: Mapping[str, Meaning]
) -> Meaning:
    if isinstance(node, ast.Import):
        return name.name, ""
    if node.module != _dotted(home):
        return node.module or "", name.name
    if name.asname or name.name not in known:
        raise NotTogether(f"{path}: {name.name} does not stand before it in {home}")
    return known[name.name]


def _check_order(sources: Mapping[str, str]) -> None:
    try:
        load_order(sources)
    except RecursionError:
        raise NotTogether("files would need each other before they are loaded") from None
