/**
 * Compiles the server and the client's `pull` into `dist`, for the package that npm installs: Node.js reads no
 * TypeScript below `node_modules`. The folders lie beside each other as in the repository, so that the program
 * finds its files in the same places.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const SERVER = import.meta.dirname
const DIST = join(SERVER, 'dist')
const CONSOLE = join(SERVER, '../console/dist')

if (!existsSync(join(CONSOLE, 'index.html'))) {
  process.stderr.write("the console is not built: run 'npm ci' first\n")
  process.exit(1)
}
// A file whose source is gone must not be shipped.
rmSync(DIST, { recursive: true, force: true })
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
const args = [join(typescript, 'bin/tsc'), '-p', join(SERVER, 'tsconfig.build.json')]
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
for (const name of ['assets', 'openapi.json', 'admin-openapi.json']) {
  cpSync(join(SERVER, name), join(DIST, 'server', name), { recursive: true })
}
cpSync(CONSOLE, join(DIST, 'console/dist'), { recursive: true })
