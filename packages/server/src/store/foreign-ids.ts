import type { Fault } from '../domain/settings/rule.ts'
import type { Store } from './store.ts'

/** Why these objects cannot be chosen. Undefined if all of them are the organization's, or none are given. */
export async function foreignIds(
  store: Pick<Store, 'objects'>,
  organization: number,
  field: string,
  ids: readonly number[] | null | undefined,
): Promise<Fault | undefined> {
  if (!ids) return undefined
  const own = new Set((await store.objects.list(organization)).map(({ id }) => id))
  const foreign = ids.find((id) => !own.has(id))
  if (foreign === undefined) return undefined
  return { field, rule: `must be ids of the organization's objects; it has no ${foreign}` }
}
