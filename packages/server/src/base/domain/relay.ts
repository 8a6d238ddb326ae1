import { described, type Fault, matching, optional, type Rule } from './setting-rule.ts'
import type { WebhookForm, WebhookSettings } from './webhook.ts'

/*
 * The settings that only relays have, and not other webhooks.
 */

/** The schemes of each form. Those without TLS reach only networks that the operator allows. */
const SCHEMES: Readonly<Record<WebhookForm, readonly string[]>> = {
  changes: ['https:'],
  osmand: ['https:', 'http:'],
  traccar: ['https:', 'http:'],
  mqtt: ['mqtts:', 'mqtt:'],
}

const HEADER = /^(?:authorization|x-[a-z0-9-]{1,60}): [\x21-\x7e][\x20-\x7e]*$/i
const USER = /^[^:\s]{1,200}:[^\r\n]+$/u
const MAX_CREDENTIALS = 2_000

/** A relay sends them to its receiver. They are stored sealed, and no answer contains them. */
export const CREDENTIALS_RULE: Rule = described(
  optional(
    matching(
      `for osmand and traccar a header such as "Authorization: Bearer …" or "X-Feed-Token: …", for mqtt "user:password", of 3 to ${MAX_CREDENTIALS} characters`,
      (value) => value.length <= MAX_CREDENTIALS && (HEADER.test(value) || USER.test(value)),
      { maxLength: MAX_CREDENTIALS },
    ),
  ),
  {
    description:
      'Presented to the receiver of a relay: a header for `osmand` and `traccar`, `user:password` for `mqtt`. They are stored sealed and never shown. Null: none.',
    help: 'presented to the receiver of a relay: a header, or user:password for mqtt',
    none: 'none',
  },
)

/** The fault of settings that the form of a webhook does not have. */
export function formFault(
  form: WebhookForm,
  { url, types, credentials }: Partial<WebhookSettings> & { credentials?: string | null },
): Fault | undefined {
  const isRelay = form !== 'changes'
  if (url !== undefined && !SCHEMES[form].includes(new URL(url).protocol)) {
    const schemes = SCHEMES[form].map((scheme) => `${scheme}//`).join(' or ')
    return { field: 'url', rule: `must begin with ${schemes} for the form ${form}` }
  }
  if (url !== undefined && form === 'mqtt' && /[+$]/.test(new URL(url).pathname)) {
    return { field: 'url', rule: 'must have a path, the prefix of the topics, without + and $' }
  }
  if (isRelay && types)
    return { field: 'types', rule: 'must be null: a relay sends positions only' }
  if (!credentials) return undefined
  const isValid = isRelay && (form === 'mqtt' ? USER : HEADER).test(credentials)
  if (isValid) return undefined
  const rule = isRelay ? `must be ${CREDENTIALS_RULE.says}` : 'must be null: deliveries are signed'
  return { field: 'credentials', rule }
}
