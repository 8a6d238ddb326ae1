import type { Credential } from '../api/types.ts'

/** Recipient and purpose while they are edited. */
export type DiscloseeDraft = { recipient: string; purpose: string }

type Disclosee = Pick<Credential, 'recipient' | 'purpose'>

export function discloseeDraftOf({ recipient, purpose }: Disclosee): DiscloseeDraft {
  return { recipient: recipient ?? '', purpose: purpose ?? '' }
}

/** An empty text becomes null. */
export function discloseeIn({ recipient, purpose }: DiscloseeDraft): Disclosee {
  const textOrNull = (text: string) => text.trim() || null
  return { recipient: textOrNull(recipient), purpose: textOrNull(purpose) }
}

/** Whether both texts are there. */
export function isDiscloseeReady(draft: DiscloseeDraft): boolean {
  const { recipient, purpose } = discloseeIn(draft)
  return recipient !== null && purpose !== null
}

/** A recipient and a purpose in a line of a list. */
export function discloseeInWords({ recipient, purpose }: Disclosee): string {
  return [recipient, purpose].filter((each) => each !== null).join(' · ')
}
