import { HttpException } from '@nestjs/common'

/** An error with a code of the contract. */
export class Refusal extends HttpException {
  constructor(status: number, errorCode: string, message: string) {
    super({ errorCode, message }, status)
  }
}

export const objectNotFound = () => new Refusal(404, 'PUBLIC.404_001', 'Object not found.')
export const quotaExhausted = (ids: number[]) =>
  new Refusal(400, 'PUBLIC.400_005', `The daily quota of these objects is exhausted: ${ids}`)
export const invalidParameter = (message: string) => new Refusal(400, 'PUBLIC.400_001', message)
