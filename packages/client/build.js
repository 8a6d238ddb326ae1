/**
 * Compiles the client into `dist`. With `--if-possible` it leaves that where there is no compiler: who
 * runs a server installs without what development takes, and a server runs the client's source.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = dirname(fileURLToPath(import.meta.url))
const compiler = compilerAbove(FOLDER)

if (compiler !== undefined) {
  // The output of deleted sources must not be shipped.
  rmSync(join(FOLDER, 'dist'), { recursive: true, force: true })
  const args = [compiler, '-p', join(FOLDER, 'tsconfig.build.json')]
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
} else if (!process.argv.includes('--if-possible')) {
  process.stderr.write("there is no TypeScript compiler: run 'npm ci' first\n")
  process.exitCode = 1
}

function compilerAbove(folder) {
  for (let at = folder; ; at = dirname(at)) {
    const candidate = join(at, 'node_modules/typescript/bin/tsc')
    if (existsSync(candidate)) return candidate
    if (dirname(at) === at) return undefined
  }
}
