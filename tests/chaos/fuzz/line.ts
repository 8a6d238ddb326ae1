import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { BrokenAnswer, type HttpAnswer, readAnswer } from './answers.ts'

/** The answer to sent bytes. */
export type Exchange = {
  answers: HttpAnswer[]
  /** Undefined if every expected answer arrived. */
  fault?: 'no HTTP answer' | 'no end' | 'closed too early' | 'more than was asked for' | undefined
  /** Octets after the last answer. */
  rest: string
}

/** A connection that opens again after the last exchange has closed it. */
export type Line = {
  /**
   * Sends bytes and reads as many answers as `heads` has items; an item is true after a HEAD. `ends`: the server
   * must close then, and send nothing more.
   */
  exchange(bytes: Buffer, heads: readonly boolean[], ends: boolean): Promise<Exchange>
  /** Sends bytes and cuts the connection, at once or at the first octet of the answer. */
  cut(bytes: Buffer, atFirstOctet: boolean): Promise<void>
  close(): void
}

/** Longer than the server's timeouts for headers and a request together. */
const PATIENCE_MS = 15_000

export function openLine(port: number): Line {
  let socket: Socket | undefined

  /** Undefined if the port is closed. */
  async function connected(): Promise<Socket | undefined> {
    if (socket !== undefined && !socket.closed && socket.readyState === 'open') return socket
    const fresh = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    const isConnected = once(fresh, 'connect').then(
      () => true,
      () => false,
    )
    fresh.on('error', () => {})
    socket = (await isConnected) ? fresh : undefined
    return socket
  }

  return {
    async exchange(bytes, heads, ends) {
      const open = await connected()
      if (open === undefined) return { answers: [], fault: 'closed too early', rest: '' }
      const exchange = await converse(open, bytes, heads, ends)
      if (ends || exchange.fault !== undefined) open.destroy()
      return exchange
    },
    async cut(bytes, atFirstOctet) {
      const open = await connected()
      if (open === undefined) return
      const gone = once(open, 'close')
      const cut = () => open.resetAndDestroy()
      if (atFirstOctet) {
        open.once('data', cut)
        open.write(bytes)
        const timer = setTimeout(cut, 100)
        await gone
        clearTimeout(timer)
      } else {
        open.write(bytes, cut)
        await gone
      }
    },
    close: () => socket?.destroy(),
  }
}

function converse(
  socket: Socket,
  bytes: Buffer,
  heads: readonly boolean[],
  ends: boolean,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const answers: HttpAnswer[] = []
    let received: Buffer = Buffer.alloc(0)
    let read = 0
    const timer = setTimeout(() => finish('no end'), PATIENCE_MS)

    function finish(fault?: Exchange['fault']): void {
      clearTimeout(timer)
      socket.off('data', onData)
      socket.off('close', onClose)
      socket.off('end', onClose)
      resolve({ answers, fault, rest: received.toString('latin1', read, read + 300) })
    }

    function onData(chunk: Buffer): void {
      received = read === received.length ? chunk : Buffer.concat([received.subarray(read), chunk])
      read = 0
      try {
        readOn()
      } catch (error) {
        finish(error instanceof BrokenAnswer ? 'no HTTP answer' : undefined)
        if (!(error instanceof BrokenAnswer)) throw error
        return
      }
      if (answers.length < heads.length) return
      if (read < received.length) finish('more than was asked for')
      else if (!ends) finish()
    }

    function readOn(): void {
      while (answers.length < heads.length) {
        const found = readAnswer(received, read, heads[answers.length]!)
        if (found === undefined) return
        read = found.end
        // A 100 (Continue) precedes the final answer.
        if (found.answer.status >= 200) answers.push(found.answer)
      }
    }

    function onClose(): void {
      finish(ends && answers.length === heads.length ? undefined : 'closed too early')
    }

    socket.on('data', onData)
    socket.once('close', onClose)
    socket.once('end', onClose)
    socket.write(bytes)
  })
}
