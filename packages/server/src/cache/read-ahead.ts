import { takeTurn } from '../domain/common/turn.ts'
import type { Directory } from './directory.ts'
import type { FleetObject } from './fleet-object.ts'

/**
 * Reads the data that requests will need, one organization in each turn. An embedded store answers
 * synchronously, so without turns nobody else would run until all are read. `read` gets each
 * organization's id and objects. `ended` ends the work before the next organization.
 */
export async function readAhead(
  directory: Directory,
  read: (organization: number, objects: FleetObject[]) => Promise<void> | undefined,
  ended: AbortSignal,
): Promise<void> {
  for (const organization of directory.organizations()) {
    await takeTurn()
    if (ended.aborted) return
    await read(organization.id, await directory.fleet(organization).warm())
  }
}
