const REQUESTS = 10
const SPAN_US = 10_000_000

/** The contract's rate window, written down plainly: when an organization was admitted, all of it. */
export type Window = { admittedUs: number[] }

export type WindowVerdict = { admitted: boolean; remaining: number; resetSeconds: number }

/** Admits, and notes, what makes no span of 10 s, half open, hold more than 10. */
export function admit(window: Window, nowUs: number): WindowVerdict {
  const counts = () => window.admittedUs.filter((at) => at > nowUs - SPAN_US)
  const admitted = counts().length < REQUESTS
  if (admitted) window.admittedUs.push(nowUs)
  const inSpan = counts()
  return {
    admitted,
    remaining: REQUESTS - inSpan.length,
    resetSeconds: Math.ceil((inSpan[0]! + SPAN_US - nowUs) / 1_000_000),
  }
}
