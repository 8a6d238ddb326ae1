import { missingName } from '../base/domain/attributes/attribute-catalogue.ts'
import { GRANT_RULES, type Grant, type GrantSettings, grantDocument } from '../base/domain/grant.ts'
import { foreignIds } from '../engine/store/item-store.ts'
import type { Store } from '../engine/store/store.ts'
import * as doc from './document-schema.ts'
import { refuse } from './input.ts'

const { schema } = doc.record(
  doc.settingFields<GrantSettings>(GRANT_RULES),
  'Objects, times and attributes that can be read.',
  'Grant',
)

/** Grants in a document. */
export const GRANTS = doc.list({ schema, write: grantDocument }, 'All that can be read.')

type Grants = readonly Grant[] | null | undefined

/**
 * Throws `Refused` if grants name objects or attributes that the organization lacks. Those that `before` named may
 * stay, although they were deleted since. `isPlain`: the body has the fields of one grant instead of grants.
 */
export async function refuseForeign(
  store: Pick<Store, 'objects' | 'attributes'>,
  organization: number,
  grants: Grants,
  before: Grants,
  isPlain = false,
): Promise<void> {
  const objects = namedIn(grants, before, ({ objects }) => objects)
  if (objects.length > 0) {
    refuse(await foreignIds(store, organization, isPlain ? 'objects' : 'grants', objects))
  }
  const attributes = namedIn(grants, before, ({ attributes }) => attributes)
  if (attributes.length > 0) {
    const known = await store.attributes.list(organization)
    refuse(missingName(known, attributes, isPlain ? 'attributes' : 'grants'))
  }
}

/** The names in grants that those before did not have, without repetitions. */
function namedIn<Name>(
  grants: Grants,
  before: Grants,
  namesOf: (grant: Grant) => readonly Name[] | null,
): Name[] {
  const known = new Set(before?.flatMap((grant) => namesOf(grant) ?? []))
  const named = new Set(grants?.flatMap((grant) => namesOf(grant) ?? []))
  return [...named.difference(known)]
}
