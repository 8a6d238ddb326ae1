import type { ItemStore } from '../store/item-store.ts'
import { conflict } from './refused.ts'

/**
 * Throws `Refused` if another item than `id` has the name in `settings`. An import matches by name, so two places of one
 * name would be one to it.
 */
export async function refuseTakenName(
  items: Pick<ItemStore<never, never>, 'named'>,
  organization: number,
  noun: string,
  settings: object,
  id?: number,
): Promise<void> {
  const { name } = settings as { name?: string }
  if (name === undefined) return
  const holders = await items.named(organization, name)
  if (holders.some((each) => each !== id)) {
    throw conflict(`there is a ${noun} '${name}' already`, 'name')
  }
}
