"""A module of the firmware with less in it for the heap of a chip: the same program, before mpy-cross compiles it.

MicroPython keeps every public constant as a name and a dictionary's row, and looks it up at each use. Here every integer
constant becomes its number where it is used, in its own file and in those that import it; then what nobody names any more goes:
the constant, the import, the function, what only type checkers read. Not for the names that stay: shortname.py.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tumbler.update.shortname import plain_assignment

KNOWN = {"TYPE_CHECKING": False, "ON_MICROPYTHON": True}  # of every device
ONLY_TO_READ = {"TYPE_CHECKING", "__all__"}
KEPT_WHOLE = "dicewire.codes"  # main.py, which no update replaces, may ask it for any number

Scope = ast.FunctionDef | ast.Lambda


@dataclass
class Module:
    tree: ast.Module
    constants: dict[str, int] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)  # local name -> module that it stands for
    borrowed: dict[str, tuple[str, str]] = field(default_factory=dict)  # local name -> (module, its name there)


def shrunk(sources: Mapping[str, str], fixed: Mapping[str, str]) -> dict[str, str]:
    """Path -> source, of everything shipped together; `fixed` goes with it as it is, perhaps of another version."""
    program = {_dotted(path): Module(ast.parse(text)) for path, text in sources.items()}
    others = {_dotted(path): Module(ast.parse(text)) for path, text in fixed.items()}
    for module in program.values():
        module.tree = _Here().visit(module.tree)
    for module in (*program.values(), *others.values()):
        _learn_imports(module, program)
    _learn_constants(program)
    for module in program.values():
        module.tree = _Folder(module, program).folded()
    while True:  # what goes may have been the last to name something else
        everyone = (*program.values(), *others.values())
        names = {name for module in everyone for name in _named(module.tree)}
        taken = {row for module in everyone for row in _taken(module)}
        droppers = [_Dropper(name, module, names, taken) for name, module in program.items()]
        if not sum([dropper.dropped() for dropper in droppers]):
            break
    return {path: ast.unparse(_Writer().visit(program[_dotted(path)].tree)) + "\n" for path in sources}


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


class _Here(ast.NodeTransformer):
    """Of two ways, the one that a device goes."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt] | None:
        self.generic_visit(node)
        if isinstance(node.test, ast.Name) and node.test.id in KNOWN:
            return node.body if KNOWN[node.test.id] else node.orelse or None
        return node


# --- what is constant -------------------------------------------------------------------------------------------------


def _learn_imports(module: Module, program: Mapping[str, Module]) -> None:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for name in node.names:
                local, inner = name.asname or name.name, f"{node.module}.{name.name}"
                if inner in program:
                    module.modules[local] = inner
                elif node.module in program:
                    module.borrowed[local] = (node.module, name.name)


def _learn_constants(program: Mapping[str, Module]) -> None:
    """Again and again: a constant may be made of one in a module that comes later."""
    learning = True
    while learning:
        learning = False
        for module in program.values():
            for name, value in _assigned_once(module.tree).items():
                number = None if name in module.constants else _value(value, module, program)
                if number is not None:
                    module.constants[name] = number
                    learning = True


def _assigned_once(tree: ast.Module) -> dict[str, ast.expr]:
    """Capital names that the module gives a value at its top, once, and nobody changes."""
    stored = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    found: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id.isupper() and stored.count(target.id) == 1:
                found[target.id] = node.value
    return found


def _value(node: ast.expr, module: Module, program: Mapping[str, Module]) -> int | None:
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "const":
        return _value(node.args[0], module, program)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert):
        inner = _value(node.operand, module, program)
        return None if inner is None else (-inner if isinstance(node.op, ast.USub) else ~inner)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, module, program), _value(node.right, module, program)
        if left is None or right is None or type(node.op) not in _OPERATORS:
            return None
        return _OPERATORS[type(node.op)](left, right)
    return _looked_up(node, module, program)


_OPERATORS: Mapping[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}


def _looked_up(node: ast.expr, module: Module, program: Mapping[str, Module]) -> int | None:
    """The number behind NAME or module.NAME."""
    if isinstance(node, ast.Name):
        if node.id in module.constants:
            return module.constants[node.id]
        home, name = module.borrowed.get(node.id, ("", ""))
        if not home:
            return None
        if name in program[home].constants:
            return program[home].constants[name]
        home, name = program[home].borrowed.get(name, ("", ""))  # passed on by a module that borrowed it itself
        return program[home].constants.get(name) if home else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in module.modules:
        home = module.modules[node.value.id]
        if node.attr in program[home].constants:
            return program[home].constants[node.attr]
        home, name = program[home].borrowed.get(node.attr, ("", ""))
        return program[home].constants.get(name) if home else None
    return None


# --- putting numbers in their place -----------------------------------------------------------------------------------


class _Folder(ast.NodeTransformer):
    def __init__(self, module: Module, program: Mapping[str, Module]) -> None:
        self._module, self._program = module, program
        self._hidden: list[set[str]] = []  # names that the functions around have for themselves

    def folded(self) -> ast.Module:
        tree: ast.Module = self.visit(self._module.tree)
        return ast.fix_missing_locations(tree)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._inside(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._inside(node)

    def _inside(self, node: Scope) -> ast.AST:
        own = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
        own |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
        self._hidden.append(own)
        self.generic_visit(node)
        self._hidden.pop()
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._number(node, node.id) if isinstance(node.ctx, ast.Load) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
            found = self._number(node, node.value.id)
            if found is not node:
                return found
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """What a variable may hold is for type checkers."""
        if node.value is None:
            return None
        self.generic_visit(node)
        return ast.Assign([node.target], node.value)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if isinstance(node.value, ast.Constant):  # the compiler drops it; a body may not be left empty
            return ast.Pass()
        self.generic_visit(node)
        return node

    def _number(self, node: ast.expr, name: str) -> ast.expr:
        if any(name in own for own in self._hidden):
            return node
        number = _looked_up(node, self._module, self._program)
        return node if number is None else ast.Constant(number)


# --- leaving out what nobody names ------------------------------------------------------------------------------------


def _named(tree: ast.Module) -> set[str]:
    """Every name that is read or imported, every attribute, every word in quotation marks."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.ImportFrom):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found


def _taken(module: Module) -> set[tuple[str, str]]:
    """(module, name) of all that this one still has from others."""
    found: set[tuple[str, str]] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom):
            found |= {(node.module or "", name.name) for name in node.names}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in module.modules:
            found.add((module.modules[node.value.id], node.attr))
    return found


class _Dropper(ast.NodeTransformer):
    def __init__(self, name: str, module: Module, names: set[str], taken: set[tuple[str, str]]) -> None:
        self._name, self._module, self._names, self._taken = name, module, names, taken
        tree = module.tree
        self._top = set(tree.body)
        self._read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        self._count = 0

    def dropped(self) -> int:
        """How many statements and imported names went."""
        self.visit(self._module.tree)
        return self._count

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        target = node.targets[0]
        if not isinstance(target, ast.Name) or node not in self._top or self._name == KEPT_WHOLE:
            return node
        readers = self._read if target.id.startswith("_") else self._names
        idle = target.id in self._module.constants and target.id not in readers
        if isinstance(node.value, ast.Attribute) and isinstance(node.value.value, ast.Name):
            idle = node.value.value.id in self._module.modules and self._idle(
                target.id
            )  # another name for what is elsewhere
        return self._without(node, idle or target.id in ONLY_TO_READ)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        if node in self._top and self._idle(node.name):
            return self._without(node, True)
        self.generic_visit(node)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        if node.module == "__future__":
            return node
        kept = [name for name in node.names if not self._idle(name.asname or name.name)]
        self._count += len(node.names) - len(kept)
        node.names = kept
        return node if kept else None

    def visit_Pass(self, node: ast.Pass) -> ast.AST | None:
        return self._without(node, node in self._top)

    def _idle(self, local: str) -> bool:
        """Named neither here nor by one that takes it from here. Our modules do nothing else when they are imported."""
        return local not in self._read and (self._name, local) not in self._taken

    def _without(self, node: ast.stmt, idle: bool) -> ast.stmt | None:
        self._count += idle
        return None if idle else node


class _Writer(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        return plain_assignment(node)
