import { takeTurn } from '../domain/common/turn.ts'
import type { ChangeView, LoggedChange } from './change-log.ts'

/** A store takes no turn within so few. */
const CHANGES_AT_ONCE = 250

/** The changes of a view after number `after`, in order, some at a time. Others run in between. */
export async function* changesAfter(
  view: Pick<ChangeView, 'changes'>,
  after: number,
): AsyncGenerator<readonly LoggedChange[]> {
  for (let last = after; ; await takeTurn()) {
    const changes = await view.changes(last, CHANGES_AT_ONCE)
    if (changes.length > 0) yield changes
    if (changes.length < CHANGES_AT_ONCE) return
    last = changes.at(-1)!.seq
  }
}
