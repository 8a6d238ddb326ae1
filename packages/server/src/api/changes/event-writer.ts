import type { ServerResponse } from 'node:http'
import { whenGone } from '../../http/send-whole.ts'
import { takenBytes } from '../../http/unread-answers.ts'

const COMMENT = ':\n\n'

/** Writes server-sent events (HTML, 9.2) to one client. */
export class EventWriter {
  readonly #response: ServerResponse
  readonly #forget: () => void
  #writtenAt = performance.now()
  #taken = 0
  #takenAt = 0
  /** Continues an event that waits for room. */
  #resume: (() => void) | undefined
  #isWriting = false
  #isGone = false

  /** `gone` is called once, when the client has gone. */
  constructor(response: ServerResponse, gone: () => void) {
    this.#response = response
    this.#forget = whenGone(response, () => {
      this.#isGone = true
      this.#resume?.()
      gone()
    })
    response.on('drain', () => this.#resume?.())
  }

  /** Resolves when the system has room for more, or the client has gone. Only one call at a time. */
  async write(event: string | Buffer | AsyncIterable<Buffer>): Promise<void> {
    this.#isWriting = true
    this.#takenAt = performance.now()
    try {
      if (typeof event === 'string' || Buffer.isBuffer(event)) return await this.#writePiece(event)
      for await (const piece of event) {
        await this.#writePiece(piece)
        if (this.#isGone) return
      }
    } finally {
      this.#isWriting = false
    }
  }

  /** Writes a comment, unless an event is being written. */
  beat(): void {
    if (!this.#isWriting) void this.#writePiece(COMMENT)
  }

  /** Milliseconds since something was written. */
  quietMs(): number {
    return performance.now() - this.#writtenAt
  }

  /** Whether an event is being written, and the client took nothing of it for `ms`. */
  isStalled(ms: number): boolean {
    const now = takenBytes(this.#response.req.socket)
    if (!this.#isWriting || now !== this.#taken) this.#takenAt = performance.now()
    this.#taken = now
    return performance.now() - this.#takenAt > ms
  }

  /** Ends the answer, or cuts the connection if an event is being written. */
  end(): void {
    this.#forget()
    if (this.#isWriting) this.#response.req.socket.destroy()
    else this.#response.end()
    this.#isGone = true
    this.#resume?.()
  }

  #writePiece(piece: string | Buffer): Promise<void> | undefined {
    if (this.#isGone) return undefined
    this.#writtenAt = performance.now()
    if (this.#response.write(piece)) return undefined
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }
}
