import type { TakenRoom } from '../changes/page-room.ts'
import type { Answer } from '../operation.ts'
import type { Refusal } from '../refusal.ts'

/**
 * Answers with a page that takes room. Frees the room of a streamed page once the client has it, and any other at
 * once.
 */
export async function answerInRoom(
  room: TakenRoom,
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
  room: TakenRoom,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces
  } finally {
    room.free()
  }
}
