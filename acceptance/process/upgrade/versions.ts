import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { printedBy } from '../../../packages/server/src/cli/terminal/printed.ts'
import type { Deployment } from '../../harness/deployment.ts'
import { endedOf, type Json, REPOSITORY, startProgram } from '../../harness/fleetgate.ts'
import { ON_FREE_PORTS, type ServerProcess, served } from '../../harness/server.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { sh } from '../installs/installation.ts'
import { copyCheckout } from '../installs/stages.ts'

/** The earlier version from which upgrades are tested. Nothing was released before it. */
const EARLIER = 'd39e54427cfb697b9a27cf2604c2bd06c3b19abe'

/** The first commit that distributes a database and starts. The earlier version cannot distribute one. */
const FIRST_ON_CITUS = '3d541f1f'

/** The commit of the earlier version; undefined where this checkout has too little history. */
export const earlierVersion = isKnown(EARLIER) ? EARLIER : undefined
export const firstOnCitus = isKnown(FIRST_ON_CITUS) ? FIRST_ON_CITUS : undefined

function isKnown(name: string): boolean {
  return git('cat-file', '-e', `${name}^{commit}`).status === 0
}

function git(...args: string[]) {
  return spawnSync('git', args, { cwd: REPOSITORY, encoding: 'utf8' })
}

/** A Fleetgate that is installed in a folder of its own. */
export type Installation = {
  folder: string
  /** Runs a command, which must succeed, and returns what it prints with `--json`. */
  run(args: string[]): Promise<Json>
  serve(deployment: Deployment, args?: string[]): Promise<ServerProcess>
}

/** The earlier version, and this checkout. */
export type Installations = { earlier: Installation; current: Installation }

export function installationIn(folder: string): Installation {
  const start = (args: string[]) =>
    startProgram([process.execPath, join(folder, 'packages/server/bin/fleetgate.js'), ...args])
  return {
    folder,
    run: async (args) => printedBy(args, await endedOf(start([...args, '--json']))),
    serve({ args: place, serveArgs }, args = []) {
      return served(start(['serve', ...place, ...serveArgs, ...ON_FREE_PORTS, ...args]))
    },
  }
}

export function upgradeFrom(version: string): Installations {
  const earlier = installed(version)
  return { earlier, current: upgradedCopy(earlier) }
}

/** Installs a version in a clone, by the lines of its own docs/operating.md. */
function installed(version: string): Installation {
  const folder = temporaryFolder()
  sh(`git clone -q --no-checkout '${REPOSITORY}' . && git checkout -q ${version}`, folder)
  sh(found(/git clone .*\ncd .*\n((?:npm .*\n)+)/, folder), folder)
  return installationIn(folder)
}

/** Brings a copy of an installation to the source of this checkout, by the step of docs/operating.md. */
function upgradedCopy({ folder: before }: Installation): Installation {
  const folder = temporaryFolder()
  cpSync(before, folder, { recursive: true, verbatimSymlinks: true })
  const head = git('rev-parse', 'HEAD').stdout.trim()
  sh(`git checkout -q ${head}`, folder)
  // With the changes of this checkout that were not committed.
  cpSync(
    copyCheckout(REPOSITORY, () => true),
    folder,
    { recursive: true },
  )
  sh(found(/Bring the checkout to the new version, `(.*)`/, folder), folder)
  return installationIn(folder)
}

/** The commands that a version's docs/operating.md gives at this place. */
function found(place: RegExp, folder: string): string {
  const match = place.exec(readFileSync(join(folder, 'docs/operating.md'), 'utf8'))
  assert.ok(match, `docs/operating.md has ${place}`)
  return match[1]!
}
