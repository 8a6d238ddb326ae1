import { runInTurns, takeTurn } from '../../domain/common/slots.ts'
import type { AnyRowForm } from '../formats/row-form.ts'

/** Rows encoded before other requests get a turn: about 1 ms of work. */
const SLICE = 100

/** A longer text is a part of its own: a place may have some hundred thousand vertices. */
const LONG_CHARACTERS = 64 * 1024

/** The parts of a body whose rows are encoded one by one. */
export async function* rowsParts<Item>(
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  form: AnyRowForm<Item>,
): AsyncGenerator<Buffer> {
  const { head, between, tail } = form
  yield Buffer.from(head)
  let before = ''
  for await (const items of pages) {
    let text = ''
    for (const [index, item] of items.entries()) {
      text += before + ('write' in form ? await runInTurns(form.write(item)) : form.row(item))
      before = between
      const isPart = text.length > LONG_CHARACTERS || index % SLICE === SLICE - 1
      if (!isPart || index === items.length - 1) continue
      yield Buffer.from(text)
      text = ''
      await takeTurn()
    }
    if (text !== '') yield Buffer.from(text)
  }
  yield Buffer.from(tail)
}

/** The body of a page whose rows are encoded one by one, those of a long page as the client takes them. */
export function rowsBody<Item>(
  items: readonly Item[],
  form: AnyRowForm<Item>,
): Promise<Buffer | AsyncGenerator<Buffer>> {
  return wholeOrStreamed(rowsParts([items], form))
}

/** A body up to this length is answered whole. */
const MAX_WHOLE_BYTES = 1024 * 1024

/**
 * The body made of these pieces. A short body is whole. A longer one is made as the client takes it, so that it is
 * never in memory as a whole. A failure before its first megabyte rejects.
 */
export async function wholeOrStreamed(
  pieces: AsyncGenerator<Buffer>,
): Promise<Buffer | AsyncGenerator<Buffer>> {
  const begun: Buffer[] = []
  for (let bytes = 0; bytes < MAX_WHOLE_BYTES; ) {
    const piece = await pieces.next()
    if (piece.done) return Buffer.concat(begun)
    begun.push(piece.value)
    bytes += piece.value.length
  }
  return streamed(begun, pieces)
}

/** Empties `begun`, or a slow client would hold it to the end. */
async function* streamed(begun: Buffer[], pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    while (begun.length > 0) yield begun.shift()!
    yield* pieces
  } finally {
    await pieces.return(undefined)
  }
}
