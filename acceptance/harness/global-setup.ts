import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeFleet, TEMPLATE_VARIABLE, WHOLE_SIZE } from './fleet.ts'

let folder: string | undefined

/** Makes the fleet once for all files of a run (`node --test --test-global-setup`). */
export async function globalSetup(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'fleetgate-acceptance-'))
  // A command's start is mostly compiling; the hundreds of them in a run share what was compiled.
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled')
  try {
    const organizations = await makeFleet(join(folder, 'data'), WHOLE_SIZE)
    writeFileSync(join(folder, 'organizations.json'), JSON.stringify(organizations))
    process.env[TEMPLATE_VARIABLE] = folder
  } catch (error) {
    // Each file then makes its own and fails by its name; the other tests of the run go on.
    process.stderr.write(`the acceptance fleet could not be made: ${error}\n`)
  }
}

export function globalTeardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}
