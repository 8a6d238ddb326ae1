import type { NewLink } from '../api/types.ts'
import { ALL, type Grant, isGrantComplete } from '../grants/grant.ts'
import { type DiscloseeDraft, discloseeIn } from '../keys/disclosee.ts'
import { t } from '../language/text.ts'
import { dayOf, dayRange } from '../ui/time/days.ts'

/** The start of the data that a link shows. `position`: from the last position of each vehicle on. */
type Begin = 'position' | 'today' | 'time'

/** A link while it is edited. */
export type LinkDraft = DiscloseeDraft & {
  /** Empty: that of its vehicles. */
  name: string
  objects: number[]
  begin: Begin
  from: string | null
  /** After how many hours it expires, or at a time. */
  end: '2' | '24' | '168' | 'time'
  until: string | null
  showsWay: boolean
}

export const BEGINS: Record<Begin, string> = {
  position: t('Current position'),
  today: t('Today from midnight'),
  time: t('On a date…'),
}

export const ENDS: Record<LinkDraft['end'], string> = {
  '2': t('In 2 hours'),
  '24': t('In 24 hours'),
  '168': t('In 7 days'),
  time: t('On a date…'),
}

export type At = {
  /** When the link is made, in milliseconds since the epoch. */
  now: number
  utc: boolean
  /** The time of the last position of a vehicle. */
  lastOf: (object: number) => string | null | undefined
}

const HOUR_MS = 3_600_000

export function draftOf(objects: number[], now: number): LinkDraft {
  return {
    ...{ name: '', recipient: '', purpose: '', objects, showsWay: true },
    ...{ begin: 'position', from: new Date(now).toISOString() },
    ...{ end: '24', until: new Date(now + 24 * HOUR_MS).toISOString() },
  }
}

/** When the link expires. Null: the time is not chosen yet. */
function expiryOf({ end, until }: LinkDraft, { now }: At): string | null {
  if (end === 'time') return until
  return new Date(now + Number(end) * HOUR_MS).toISOString()
}

/** The grants of a link. A vehicle without a position is shown from now on. */
export function grantsIn(draft: LinkDraft, at: At): Grant[] {
  const { objects, begin, from } = draft
  const { now, utc, lastOf } = at
  const until = expiryOf(draft, at)
  if (begin === 'position') {
    const thisMoment = new Date(now).toISOString()
    return objects.map((id) => ({ ...ALL, objects: [id], from: lastOf(id) ?? thisMoment, until }))
  }
  const first = begin === 'today' ? dayRange(dayOf(now, utc), utc).from : from
  return [{ ...ALL, objects, from: first, until }]
}

/** Whether every choice is made. */
export function isLinkReady(draft: LinkDraft, at: At): boolean {
  const isWhole = ({ from, until }: Grant) => from !== null && until !== null
  const grants = grantsIn(draft, at)
  return grants.every((each) => isWhole(each) && isGrantComplete(each))
}

/** The body of a draft that is ready. `ownName`: its name unless another is given. */
export function linkIn(draft: LinkDraft, at: At, ownName: string): NewLink {
  return {
    name: draft.name.trim() || ownName,
    ...discloseeIn(draft),
    expires_at: expiryOf(draft, at)!,
    shows_way: draft.showsWay,
    grants: grantsIn(draft, at),
  }
}
