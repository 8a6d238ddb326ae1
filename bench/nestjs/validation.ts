import type { ValidationError } from '@nestjs/common'
import { invalidParameter, Refusal } from './refusal.ts'

/** The error for the first violated rule of a DTO; a missing end of a range has its own code. */
export function validationError([first]: ValidationError[]): Refusal {
  const [message = 'Bad Request'] = Object.values(first?.constraints ?? {})
  return message === 'To Time is required'
    ? new Refusal(400, 'PUBLIC.400_002', message)
    : invalidParameter(message)
}
