import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pin } from './processor.ts'

/** A script of this folder that works on request, in a process of its own. */
export type OtherProcess = AsyncDisposable & {
  send(message: object): void
  /** The next message of the process. Rejects if it ends. */
  answer<Answer>(): Promise<Answer>
}

export function openOtherProcess(script: string, processor: number): OtherProcess {
  const child = fork(join(import.meta.dirname, script))
  pin(child.pid!, processor)
  const ended = once(child, 'exit')
  return {
    send: (message) => void child.send(message),
    async answer() {
      const [answer] = await Promise.race([
        once(child, 'message'),
        ended.then(([code]) => {
          throw new Error(`${script} ended with exit code ${code}`)
        }),
      ])
      return answer
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}
