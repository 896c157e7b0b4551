// `npm run build`: makes dist/ a program that runs without this folder: the server as plain JavaScript, the web app, migrations and the
// packages that it needs. `node dist/server/main.js` runs it with Node 24 or newer. `npm run build -- FOLDER` writes to another folder.
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
// A named import would fail on an older Node, which lacks the export.
import nodeModule from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import {
  buildWeb,
  exitWithError,
  install,
  ownEnv,
  ownNode,
  prepareDatabase,
  root,
  run,
  say,
  seconds,
  SetupError,
} from './project.js';

const { stripTypeScriptTypes } = nodeModule;

/** The folders that run in the server, or that it reads. */
const SOURCES = ['server', 'contracts', 'rules', 'database'];
/** Files of packages that no program reads. They are more than half of all files. */
const NOT_RUN = /\.(map|md|[cm]?ts)$/;

/** Restarts with the project's own Node if necessary, because an older one cannot strip types. */
async function withOwnNode() {
  if (typeof stripTypeScriptTypes === 'function' && Number(process.versions.node.split('.')[0]) >= 24) return build();
  const { code, output } = await run(ownNode(), [join(root, 'bin', 'build.js'), ...process.argv.slice(2)], ownEnv());
  process.stdout.write(output);
  process.exitCode = code;
}

async function build() {
  // Stripping types is an experimental call of Node 24, which prints a warning. The server starts from the same sources without it.
  process.removeAllListeners('warning');
  const began = Date.now();
  const out = resolve(process.env.INIT_CWD ?? '.', process.argv[2] ?? join(root, 'dist'));
  await buildWeb();
  // The new program is made next to the old one and then swapped in, so that a failed build leaves the old program intact.
  const next = join(out, '.next');
  rmSync(next, { recursive: true, force: true });
  const files = SOURCES.flatMap((folder) => filesIn(join(root, folder)));
  for (const file of files) writeProgramFile(file, join(next, relative(root, file)));
  writeEntry(next);
  writePackage(next);
  copyPackages(next);
  await prepareDatabase(join(next, 'prepared'));
  for (const name of readdirSync(next)) {
    rmSync(join(out, name), { recursive: true, force: true });
    renameSync(join(next, name), join(out, name));
  }
  rmSync(next, { recursive: true });
  if (out !== join(root, 'dist'))
    for (const name of ['web', 'earlier-assets'].filter((folder) => existsSync(join(root, 'dist', folder)))) {
      rmSync(join(out, name), { recursive: true, force: true });
      copy(join(root, 'dist', name), join(out, name));
    }
  say(
    `built ${out} in ${seconds(began)}; run it with: node ${join(relative(process.cwd(), out), 'server', 'main.js')}`,
  );
}

/** Clones the files if the file system can, and copies them otherwise. */
function copy(from, to, filter = () => true) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE, filter });
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)]))
    .filter((file) => !file.endsWith('.test.ts'));
}

/**
 * Writes a module as JavaScript on the same lines, so that positions in an error's stack match the source. Copies other files unchanged.
 */
function writeProgramFile(file, to) {
  if (!file.endsWith('.ts')) return copy(file, to);
  mkdirSync(dirname(to), { recursive: true });
  const program = stripTypeScriptTypes(readFileSync(file, 'utf8'))
    // Imports of the project's own packages are mapped in package.json.
    .replace(/((?:\bfrom|\bimport)\s*\(?\s*'\.{1,2}\/[^'\n]+)\.ts'/g, "$1.js'")
    .replace(/(new URL\('[^'\n]+)\.ts', import\.meta\.url/g, "$1.js', import.meta.url");
  const left = /^(?!\s*(?:\/\/|\*|\/\*)).*'\.{0,2}\/?[\w./-]+\.ts'.*$/m.exec(program.replace(/'#[^'\n]+\.ts'/g, ''));
  if (left) throw new SetupError(`${relative(root, file)} names a source in a way the build does not know: ${left[0]}`);
  writeFileSync(to.replace(/\.ts$/, '.js'), program);
}

/** Writes the entry of the program. An older Node cannot parse the program, so the entry uses old syntax to report the required version. */
function writeEntry(folder) {
  const main = join(folder, 'server', 'main.js');
  renameSync(main, join(folder, 'server', 'program.js'));
  writeFileSync(
    main,
    `// Starts program.js, or says which Node it needs.
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write('Node 24 or newer is needed; this is ' + process.version + '.\\n');
  process.exit(1);
}
import('./program.js');
`,
  );
}

/** Writes a package.json that matches the lock file, so that `npm ci --omit=dev` can reinstall the packages for another platform. */
function writePackage(folder) {
  const described = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const imports = Object.fromEntries(SOURCES.map((name) => [`#${name}/*.ts`, `./${name}/*.js`]));
  const commands = Object.entries(described.scripts)
    .map(([name, script]) => [name, /^node bin\/command\.js (.+)$/.exec(script)?.[1]])
    .filter(([, command]) => command !== undefined)
    .map(([name, command]) => [name, `node server/main.js ${command}`]);
  const scripts = { start: 'node server/main.js', ...Object.fromEntries(commands) };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...described, imports, scripts }, null, 2)}\n`);
  copy(join(root, 'package-lock.json'), join(folder, 'package-lock.json'));
}

/** Copies only the server's packages: those that the lock file does not mark as development packages. */
function copyPackages(folder) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  // A nested package is copied with the package that contains it.
  const needed = Object.keys(packages).filter(
    (path) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !packages[path].dev,
  );
  // Optional packages of other platforms are not installed.
  for (const path of needed.filter((name) => existsSync(join(root, name))))
    copy(join(root, path), join(folder, path), (from) => !NOT_RUN.test(from));
}

await install().then(withOwnNode).catch(exitWithError);
