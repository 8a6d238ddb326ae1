import { ApiError, Unreachable } from '../../api/error.ts'
import { t } from '../../language/text.ts'
import { sentence } from '../format.ts'
import { Note } from './Note.tsx'

/** The error of an action, shown next to its control. */
export function Problem({ error }: { error: Error | null }) {
  if (error === null) return null
  return (
    <Note kind="danger" alert>
      {sentenceOf(error)}
    </Note>
  )
}

export function sentenceOf(error: Error): string {
  if (error instanceof Unreachable) {
    return t(
      'The server does not respond, so the change may or may not have been saved. Check that the server is running, then try again.',
    )
  }
  if (error instanceof ApiError && error.status === 401 && error.code === 'signed_out') {
    return t('You are signed out. Sign in, then try again.')
  }
  return sentence(error.message)
}
