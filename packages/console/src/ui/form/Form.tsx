import {
  type ComponentProps,
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'
import { documentedName, type Rule } from '../../../../server/src/base/domain/setting-rule.ts'
import { ApiError } from '../../api/error.ts'
import { useMayChange } from '../changing.tsx'
import { sentence } from '../format.ts'
import { Problem } from '../state/Problem.tsx'

/** The server's error for the submitted form, unless a field shows it already. */
const Refusal = createContext<ApiError | null>(null)

/** The server's rules by the names of the fields. */
const RulesByName = createContext<Readonly<Record<string, Rule>>>({})

const NONE: readonly string[] = []

/** The names of fields that the reader may not change. */
const Locked = createContext(NONE)

/** Whether the form was submitted before it was ready, so that its faults are shown. */
const Tried = createContext(false)

export function useTried(): boolean {
  return useContext(Tried)
}

export type FormProps = {
  /** The change that the form sends. */
  saving: { error: Error | null; isPending: boolean }
  /** Whether it has no fault. */
  isReady?: boolean
  /** The server's rules for the form's fields. Their inputs take limits from them. */
  rules?: Readonly<Record<string, Rule>>
  /** The server's names of further fields, which have no rule. */
  fields?: readonly string[]
  /** The names of fields that the reader may not change. */
  locked?: readonly string[]
  onSubmit: () => void
  children: ReactNode
}

/** An error of the submitted form disappears when the operator changes its field. */
export function Form({
  saving,
  isReady = true,
  rules = {},
  fields = [],
  locked = NONE,
  onSubmit,
  children,
}: FormProps) {
  const mayChange = useMayChange()
  const byName = Object.fromEntries(
    Object.entries(rules).map(([key, rule]) => [documentedName(key), rule]),
  )
  const form = useRef<HTMLFormElement>(null)
  const [tried, setTried] = useState(false)
  const [passed, setPassed] = useState<Error | null>(null)
  const error = saving.error === passed ? null : saving.error
  const field = error instanceof ApiError ? error.field : null
  const named = field !== null && (fields.includes(field) || hasInput(byName[field]))
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
      onChange={({ target }) => {
        if (error === null) return
        if (!named || (target as Partial<HTMLInputElement>).name === field) setPassed(error)
      }}
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        setTried(!isReady)
        if (isReady && !saving.isPending) onSubmit()
        // By now the browser has marked the errors that it found itself.
        requestAnimationFrame(() => focusFirstFault(form.current))
      }}
    >
      <RulesByName value={byName}>
        <Refusal value={named ? (error as ApiError) : null}>
          <Locked value={locked}>
            <Tried value={tried}>
              {mayChange ? (
                children
              ) : (
                <fieldset className="stack" disabled>
                  {children}
                </fieldset>
              )}
            </Tried>
          </Locked>
        </Refusal>
      </RulesByName>
      {!named && <Problem error={error} />}
    </form>
  )
}

/** A list of positions has a map instead. */
function hasInput(rule: Rule | undefined): boolean {
  return rule !== undefined && rule.schema.type !== 'array'
}

/** The server's error for the field of this name, if any. */
export function useRefusal(name: string | undefined): string | undefined {
  const refusal = useContext(Refusal)
  return refusal !== null && name !== undefined && refusal.field === name
    ? sentence(refusal.message)
    : undefined
}

export type Limits = Pick<
  ComponentProps<'input'>,
  'required' | 'min' | 'max' | 'step' | 'minLength' | 'maxLength' | 'disabled'
>

/** The limits of the field of this name, as its input has them. A select has its options instead. */
export function useLimits(name: string | undefined): Limits {
  const rule = useContext(RulesByName)[name ?? '']
  const disabled = useContext(Locked).includes(name ?? '')
  if (rule === undefined || rule.schema.enum !== undefined) return { disabled }
  const { type, minimum: min, maximum: max, minLength, maxLength } = rule.schema
  const step = type === 'integer' ? { step: 1 } : {}
  return { required: !rule.optional, min, max, minLength, maxLength, disabled, ...step }
}

function focusFirstFault(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
}
