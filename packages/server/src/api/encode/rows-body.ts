import { takeTurn } from '../../domain/turn.ts'
import type { RowForm } from './formats/row-form.ts'
import { wholeOrStreamed } from './whole-or-streamed.ts'

/** Rows encoded before other requests get a turn: about 1 ms of work. */
const SLICE = 100

/** The parts of a body whose rows are encoded one by one. */
export async function* rowsParts<Item>(
  items: readonly Item[],
  { head, between, tail, row }: RowForm<Item>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(head)
  for (let from = 0; from < items.length; from += SLICE) {
    if (from > 0) await takeTurn()
    const slice = items.slice(from, from + SLICE).map(row)
    yield Buffer.from((from > 0 ? between : '') + slice.join(between))
  }
  yield Buffer.from(tail)
}

/** The body of a page whose rows are encoded one by one, those of a long page as the client takes them. */
export function rowsBody<Item>(
  items: readonly Item[],
  form: RowForm<Item>,
): Promise<Buffer | AsyncGenerator<Buffer>> {
  return wholeOrStreamed(rowsParts(items, form))
}
