import type { ValidationError } from '@nestjs/common'
import { invalidParameter, Refusal } from './refusal.ts'

/** The first of what a DTO's rules object to; a missing end of a range has a code of its own. */
export function validationError([first]: ValidationError[]): Refusal {
  const [message = 'Bad Request'] = Object.values(first?.constraints ?? {})
  return message === 'To Time is required'
    ? new Refusal(400, 'PUBLIC.400_002', message)
    : invalidParameter(message)
}
