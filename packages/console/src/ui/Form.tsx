import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react'
import { ApiError } from '../api/error.ts'
import { Problem } from './Problem.tsx'

/** The server's error for the submitted form, unless a field shows it already. */
const Refusal = createContext<ApiError | null>(null)

type FormProps = {
  error: Error | null
  /** The server's names of the form's fields. */
  fields: readonly string[]
  onSubmit: () => void
  children: ReactNode
}

export function Form({ error, fields, onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const field = error instanceof ApiError ? error.field : null
  const named = field !== null && fields.includes(field)
  // Scrolls to the first error, however long the form is.
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
        // By now the browser has marked the errors that it found itself.
        requestAnimationFrame(() => focusFirstFault(form.current))
      }}
    >
      <Refusal value={named ? (error as ApiError) : null}>{children}</Refusal>
      {!named && <Problem error={error} />}
    </form>
  )
}

/** The server's error for the field of this name, if any. */
export function useRefusal(name: string | undefined): string | undefined {
  const refusal = useContext(Refusal)
  return refusal !== null && name !== undefined && refusal.field === name
    ? refusal.message
    : undefined
}

function focusFirstFault(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
}
