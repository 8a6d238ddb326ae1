import type { Credential } from '../api/types.ts'

/** Recipient and purpose while they are edited. */
export type GrantDraft = { recipient: string; purpose: string }

type Grant = Pick<Credential, 'recipient' | 'purpose'>

export function grantDraftOf({ recipient, purpose }: Grant): GrantDraft {
  return { recipient: recipient ?? '', purpose: purpose ?? '' }
}

/** An empty text becomes null. */
export function grantIn({ recipient, purpose }: GrantDraft): Grant {
  const textOrNull = (text: string) => text.trim() || null
  return { recipient: textOrNull(recipient), purpose: textOrNull(purpose) }
}

/** Whether both texts are there. */
export function isGranted(draft: GrantDraft): boolean {
  const { recipient, purpose } = grantIn(draft)
  return recipient !== null && purpose !== null
}

/** A recipient and a purpose in a line of a list. */
export function grantInWords({ recipient, purpose }: Grant): string {
  return [recipient, purpose].filter((each) => each !== null).join(' · ')
}
