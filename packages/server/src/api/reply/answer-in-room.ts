import type { Answer } from '../operation.ts'
import type { Refusal } from '../refusal.ts'

/** The room in memory that an answer takes, or its place among a few at once. */
type Room = { free(): void }

/** Answers with a body that takes room. Frees the room of a stream once the client has it, and any other at once. */
export async function answerInRoom(
  room: Room,
  answer: () => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  let isHeld = false
  try {
    const answered = await answer()
    if ('status' in answered || !isStreamed(answered.body)) return answered
    isHeld = true
    return { ...answered, body: freeAfter(answered.body, room) }
  } finally {
    if (!isHeld) room.free()
  }
}

function isStreamed(body: Answer['body']): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && Symbol.asyncIterator in body
}

async function* freeAfter(
  pieces: AsyncIterable<Uint8Array>,
  room: Room,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces
  } finally {
    room.free()
  }
}
