"""The mutants of a module: its source with one small fault each, of the kind that people make.

Annotations, docstrings, imports, asserts, and `strict=` of a zip stay as they are: no test could notice a change.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
UNTOUCHED = (ast.Import, ast.ImportFrom, ast.Assert)
UNTOUCHED_FIELDS = ("annotation", "returns", "decorator_list", "bases", "targets", "target", "format_spec", "ctx")


class Mutant(NamedTuple):
    """A module with a fault: where it is, and what was changed."""

    module: str
    line: int
    where: str
    change: str
    source: str

    @property
    def name(self) -> str:
        """Its name, which does not depend on the line."""
        return f"{self.module}.{self.where}: {self.change}"


class _Site(NamedTuple):
    """A part of the syntax tree that can be replaced."""

    node: ast.AST
    where: str
    put: Callable[[ast.AST], None]


def mutants(module: str, source: str) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines."""
    tree = ast.parse(source)
    found: list[Mutant] = []
    named: Counter[str] = Counter()
    for site in list(_sites(tree, "module")):
        for after in _alternatives(site.node):
            site.put(after)
            mutant = Mutant(module, _line(site.node), site.where, _change(site.node, after), ast.unparse(tree))
            site.put(site.node)
            named[mutant.name] += 1
            nth = f" ({named[mutant.name]})" if named[mutant.name] > 1 else ""
            found.append(mutant._replace(change=mutant.change + nth))
    return sorted(found, key=lambda mutant: mutant.line)


def _sites(node: ast.AST, where: str) -> Iterator[_Site]:
    for field, value in ast.iter_fields(node):
        if field in UNTOUCHED_FIELDS:
            continue
        for index, part in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(part, ast.AST) or _is_untouched(part):
                continue
            inside = _enclosing_name(part, where)
            yield _Site(part, inside, _setter(node, field, index))
            yield from _sites(part, inside)


def _is_untouched(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.keyword(arg="strict"):
            return True
    return isinstance(node, UNTOUCHED)


def _enclosing_name(node: ast.AST, where: str) -> str:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name if where == "module" else f"{where}.{node.name}"
    return where


def _setter(holder: ast.AST, field: str, index: int) -> Callable[[ast.AST], None]:
    def put(node: ast.AST) -> None:
        value = getattr(holder, field)
        if isinstance(value, list):
            value[index] = node
        else:
            setattr(holder, field, node)

    return put


def _alternatives(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare():
            yield from _other_comparisons(node)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            for index in range(len(values)):
                rest = values[:index] + values[index + 1 :]
                yield rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.BinOp(left, op, right) if type(op) in ARITHMETIC:
            yield ast.BinOp(left, ARITHMETIC[type(op)](), right)
        case ast.Constant(value):
            yield from (ast.Constant(other) for other in _other_values(value))
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.comprehension(target, iterated, ifs) if ifs:
            yield ast.comprehension(target, iterated, [], 0)
        case ast.stmt():
            yield from _other_statements(node)


def _other_comparisons(node: ast.Compare) -> Iterator[ast.AST]:
    for index, op in enumerate(node.ops):
        for other in COMPARISONS[type(op)]:
            yield ast.Compare(node.left, [*node.ops[:index], other(), *node.ops[index + 1 :]], node.comparators)


def _other_values(value: object) -> Iterator[str | int | float | bool]:
    match value:
        case bool():
            yield not value
        case int() | float():
            yield value + 1
        case str():
            yield f"{value}XX"


def _other_statements(node: ast.stmt) -> Iterator[ast.stmt]:
    match node:
        case ast.If(test, body, orelse) if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Return(value) if value is not None and not isinstance(value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Assign(targets, value) if not isinstance(value, ast.Constant):
            yield ast.Assign(targets, ast.Constant(None), lineno=node.lineno)
        case ast.AugAssign(target, op, value):
            yield ast.Pass()
            if type(op) in ARITHMETIC:
                yield ast.AugAssign(target, ARITHMETIC[type(op)](), value)
        case ast.Expr() | ast.Raise():
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()


def _line(node: ast.AST) -> int:
    return next(inner.lineno for inner in ast.walk(node) if isinstance(inner, ast.expr | ast.stmt))


def _change(before: ast.AST, after: ast.AST) -> str:
    return f"`{_source_of(before)}` → `{_source_of(after)}`"


def _source_of(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text.splitlines()[0].rstrip(":") if isinstance(node, ast.stmt) else text.strip()
