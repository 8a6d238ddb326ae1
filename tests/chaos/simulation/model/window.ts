import { RATE_WINDOW } from '../../../../packages/server/src/base/domain/limits.ts'

const REQUESTS = RATE_WINDOW.requests
const SPAN_US = RATE_WINDOW.seconds * 1_000_000

/** A direct implementation of the contract's rate window: all admissions of an organization. */
export type Window = { admittedUs: number[] }

export type WindowVerdict = { admitted: boolean; remaining: number; resetSeconds: number }

/** Admits and records a request unless a half-open span would hold more than the window admits. */
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
