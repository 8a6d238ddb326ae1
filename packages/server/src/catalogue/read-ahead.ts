import { takeTurn } from '../domain/turn.ts'
import type { Catalogue } from './catalogue.ts'
import type { FleetObject } from './fleet.ts'

/**
 * Reads the data that requests will need, one organization in each turn. An embedded store answers
 * synchronously, so without turns nobody else would run until all are read. `read` gets each
 * organization's id and objects.
 */
export async function readAhead(
  catalogue: Catalogue,
  read: (organization: number, objects: FleetObject[]) => Promise<void> | undefined,
): Promise<void> {
  for (const organization of catalogue.organizations()) {
    await takeTurn()
    await read(organization.id, await catalogue.fleet(organization).warm())
  }
}
