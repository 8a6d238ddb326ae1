import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react'
import { ApiError } from '../api/error.ts'
import { Problem } from './Problem.tsx'

/** What the server has against the form that was sent: its fields say it themselves where they are named. */
const Refusal = createContext<ApiError | null>(null)

type FormProps = {
  error: Error | null
  /** Names of the form's fields, as the server calls them. */
  fields: readonly string[]
  onSubmit: () => void
  children: ReactNode
}

export function Form({ error, fields, onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const field = error instanceof ApiError ? error.field : null
  const named = field !== null && fields.includes(field)
  // To what has to be put right, whatever the length of the form.
  useEffect(() => {
    if (error !== null && named) {
      focusFirstFault(form.current)
    }
  }, [error, named])
  return (
    <form
      ref={form}
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        onSubmit()
        // What it found wrong itself is marked by then.
        requestAnimationFrame(() => focusFirstFault(form.current))
      }}
    >
      <Refusal value={named ? (error as ApiError) : null}>{children}</Refusal>
      {!named && <Problem error={error} />}
    </form>
  )
}

/** What the server says of the field of this name, if anything. */
export function useRefusal(name: string | undefined): string | undefined {
  const refusal = useContext(Refusal)
  return refusal !== null && name !== undefined && refusal.field === name
    ? refusal.message
    : undefined
}

function focusFirstFault(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
}
