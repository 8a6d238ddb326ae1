import type { Credential, Grant } from '../credential.ts'
import type { Organization } from '../organization.ts'
import { described, type Fault, optional, type Rules, text } from './rule.ts'

/** Completes the sentences "whether …" and "if …" about the setting of an organization. */
export const KEYS_NEED = 'each API key that opens data needs a recipient and a purpose'

const NEEDED = 'Needed if `keys_need_purpose` of the organization is on. Null: not known.'

export const GRANT_RULES: Rules<Grant> = {
  recipient: described(optional(text(200)), {
    description: `For whom it is: who gets the data. ${NEEDED}`,
    help: 'who gets the data',
  }),
  purpose: described(optional(text(200)), {
    description: `The purpose for which the data are given. ${NEEDED}`,
    help: 'the purpose for which the data are given',
  }),
}

type Granted = Grant & Pick<Credential, 'scenario'>

/**
 * The recipient or the purpose that a key lacks and its organization requires. A test key shows no data, and needs
 * neither.
 */
export function grantFault(
  { keysNeedPurpose }: Pick<Organization, 'keysNeedPurpose'>,
  { recipient, purpose, scenario }: Granted,
): Fault | undefined {
  if (!keysNeedPurpose || scenario !== null) return undefined
  const field = recipient === null ? 'recipient' : purpose === null ? 'purpose' : undefined
  return field && { field, rule: `is missing: in this organization ${KEYS_NEED}` }
}
