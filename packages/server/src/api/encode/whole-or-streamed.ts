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
