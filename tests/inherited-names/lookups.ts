import { fileURLToPath } from 'node:url';
import {
  type BinaryExpression,
  type ElementAccessExpression,
  type ForInStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { API, type Checker, type Type, TypeFlags } from 'typescript/unstable/sync';

/**
 * Finds places that look up a text in a plain object, which has inherited properties such as `constructor`. It judges by types: a key that
 * is a union of literals can only be a declared property and is not reported. Nor is a key from a `for … in` over the same object, or one
 * that `Object.hasOwn` has checked in the same expression.
 */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROJECT = `${ROOT}tsconfig.node.json`;

/** Returns each place as `path: code`. `isChecked` selects the files to read by their path from the root of the repository. */
export function inheritedLookups(isChecked: (path: string) => boolean): string[] {
  const api = new API({ cwd: ROOT });
  try {
    const project = api.updateSnapshot({ openProjects: [PROJECT] }).getProject(PROJECT);
    if (!project) throw new Error(`${PROJECT} could not be read`);
    const { program, checker } = project;
    return program
      .getSourceFileNames()
      .map((name) => ({ name, path: name.slice(ROOT.length) }))
      .filter(({ name, path }) => name.startsWith(ROOT) && isChecked(path))
      .flatMap(({ name, path }) => {
        const file = program.getSourceFile(name);
        return file ? lookupsIn(file, checker).map((code) => `${path}: ${code}`) : [];
      });
  } finally {
    api.close();
  }
}

type Lookup = { readonly node: Node; readonly object: Node; readonly key: Node };

function lookupsIn(file: SourceFile, checker: Checker): string[] {
  const lookups: Lookup[] = [];
  const visit = (node: Node): undefined => {
    if (isAccess(node)) lookups.push({ node, object: node.expression, key: node.argumentExpression });
    if (isIn(node)) lookups.push({ node, object: node.right, key: node.left });
    node.forEachChild(visit);
  };
  visit(file);
  const types = lookups.length === 0 ? [] : checker.getTypeAtLocation(lookups.map(({ key }) => key));
  return lookups
    .filter((lookup, index) => isText(types[index], checker) && !isOwn(lookup, file))
    .map(({ node }) => getText(node, file));
}

const isAccess = (node: Node): node is ElementAccessExpression => node.kind === SyntaxKind.ElementAccessExpression;
const isIn = (node: Node): node is BinaryExpression =>
  node.kind === SyntaxKind.BinaryExpression &&
  // Cast: the kind identifies the type of the node.
  (node as BinaryExpression).operatorToken.kind === SyntaxKind.InKeyword;

/** Returns whether a key can be any text, a text of a template pattern, or any value. */
function isText(type: Type | undefined, checker: Checker): boolean {
  if (!type) return true;
  const bound = type.flags & TypeFlags.TypeParameter ? checker.getBaseConstraintOfType(type) : type;
  if (!bound) return true;
  const texts =
    TypeFlags.Any | TypeFlags.Unknown | TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.StringMapping;
  if (bound.flags & TypeFlags.Union) return checker.typeToString(bound).split(' | ').includes('string');
  return (bound.flags & texts) !== 0;
}

/** Returns whether the key is certainly one of the object's own properties. */
function isOwn({ node, object, key }: Lookup, file: SourceFile): boolean {
  const [objectText, keyText] = [getText(object, file), getText(key, file)];
  const check = `Object.hasOwn(${objectText}, ${keyText})`;
  for (let inner = node, outer = node.parent; outer; inner = outer, outer = outer.parent) {
    if (outer.kind === SyntaxKind.ForInStatement && isLoopOver(outer, objectText, keyText, file)) return true;
    const before = file.text.slice(outer.pos, inner.pos);
    const guarded = outer.kind === SyntaxKind.ConditionalExpression || outer.kind === SyntaxKind.BinaryExpression;
    if (guarded && before.includes(check) && !before.includes('||') && !/:\s*$/.test(before)) return true;
  }
  return false;
}

function isLoopOver(node: Node, objectText: string, keyText: string, file: SourceFile): boolean {
  // Cast: the caller has checked the kind.
  const { initializer, expression } = node as ForInStatement;
  return getText(expression, file) === objectText && getText(initializer, file).replace(/^const /, '') === keyText;
}

const getText = (node: Node, file: SourceFile): string => file.text.slice(node.pos, node.end).trim();
