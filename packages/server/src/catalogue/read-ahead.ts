import { takeTurn } from '../domain/turn.ts'
import type { Catalogue } from './catalogue.ts'
import type { FleetObject } from './fleet.ts'

/**
 * Reads what requests will be answered from, an organization in each turn: a store that is in this
 * process answers at once, and would let nobody else run before it has told of all of them. `read` hears
 * of each.
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
