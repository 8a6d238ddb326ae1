import { type ComponentProps, type ReactNode, useEffect, useId, useState } from 'react'
import { t } from '../../language/text.ts'
import { Icon } from '../Icon.tsx'
import { type Limits, useLimits, useRefusal, useTried } from './Form.tsx'
import './Field.css'

type Common = {
  label: string
  /** The server's name of the field. Its errors are shown here. */
  name?: string | undefined
  help?: ReactNode
  error?: string | undefined
  /** As `error`, once the form was submitted. */
  fault?: string | false | undefined
}

type InputAttributes = {
  id: string
  name: string | undefined
  className: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
} & Limits

/** Label, hint, limits and error, connected to the input for screen readers. */
function Field({
  label,
  name,
  help,
  error,
  fault = false,
  children,
}: Common & { children: (attributes: InputAttributes) => ReactNode }) {
  const id = useId()
  const limits = useLimits(name)
  const refused = useRefusal(name)
  const tried = useTried()
  const wrong = error ?? (tried && fault !== false ? fault : refused)
  const described = [
    help === undefined ? '' : `${id}-help`,
    wrong === undefined ? '' : `${id}-error`,
  ].filter((each) => each !== '')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        ...limits,
        id,
        name,
        className: 'input',
        'aria-invalid': wrong === undefined ? undefined : true,
        'aria-describedby': described.length === 0 ? undefined : described.join(' '),
      })}
      {help !== undefined && (
        <div className="field-help" id={`${id}-help`}>
          {help}
        </div>
      )}
      <FieldError id={`${id}-error`} error={wrong} />
    </div>
  )
}

export function FieldError({ id, error }: { id: string; error: string | undefined }) {
  if (error === undefined) return null
  return (
    <p className="field-error" id={id} role="alert">
      <Icon name="error" size={14} />
      {error}
    </p>
  )
}

type TextFieldProps = Common & {
  value: string
  onChange: (value: string) => void
} & Pick<
    ComponentProps<'input'>,
    'autoComplete' | 'autoFocus' | 'placeholder' | 'type' | 'min' | 'max' | 'spellCheck'
  >

export function TextField(props: TextFieldProps) {
  const { label, name, help, error, fault, value, onChange, ...rest } = props
  return (
    <Field {...{ label, name, help, error, fault }}>
      {(attributes) => (
        <input
          type="text"
          {...rest}
          {...attributes}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

type TextAreaProps = Common & { value: string; onChange: (value: string) => void }

export function TextArea({ value, onChange, ...common }: TextAreaProps) {
  return (
    <Field {...common}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={3}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

type NumberFieldProps = Common & {
  value: number | null
  onChange: (value: number | null) => void
  unit?: string
  placeholder?: string
}

/** Keeps the text as typed, such as `1.` on the way to `1.5`. Empty is null. */
export function NumberField(props: NumberFieldProps) {
  const { label, value, onChange, unit, placeholder, ...common } = props
  const [text, setText] = useState(value === null ? '' : String(value))
  useEffect(() => {
    setText((typed) => (numberOf(typed) === value ? typed : value === null ? '' : String(value)))
  }, [value])
  return (
    <Field {...common} label={unit === undefined ? label : `${label} (${unit})`}>
      {(attributes) => (
        <input
          step="any"
          {...attributes}
          type="number"
          inputMode="decimal"
          placeholder={placeholder}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            onChange(numberOf(event.target.value))
          }}
        />
      )}
    </Field>
  )
}

function numberOf(text: string): number | null {
  const number = Number(text)
  return text.trim() === '' || !Number.isFinite(number) ? null : number
}

/** The options of a select. The compiler asks for a label of every choice that the API takes. */
export function optionsOf<Value extends string>(labels: Record<Value, string>): [Value, string][] {
  return Object.entries(labels) as [Value, string][]
}

type SelectFieldProps<Value extends string> = Common & {
  value: Value
  onChange: (value: Value) => void
  options: readonly (readonly [Value, string])[]
}

export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { value, onChange, options, ...common } = props
  return (
    <Field {...common}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          onChange={(event) => onChange(event.target.value as Value)}
        >
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

type ComboFieldProps = TextFieldProps & { options: readonly string[] }

/** Free text with suggestions, for lists too long for a select. */
export function ComboField({ options, ...field }: ComboFieldProps) {
  const id = useId()
  const { value, onChange, placeholder } = field
  return (
    <Field {...field}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            list={id}
            placeholder={placeholder}
            value={value}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={id}>
            {options.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

type CheckFieldProps = Omit<Common, 'error' | 'fault'> & {
  value: boolean
  onChange: (value: boolean) => void
}

export function CheckField({ label, name, help, value, onChange }: CheckFieldProps) {
  const id = useId()
  const refused = useRefusal(name)
  return (
    <div className="choice">
      <input
        id={id}
        type="checkbox"
        name={name}
        checked={value}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {help !== undefined && (
        <div className="field-help" id={`${id}-help`}>
          {help}
        </div>
      )}
      <FieldError id={`${id}-error`} error={refused} />
    </div>
  )
}

type PasswordFieldProps = Omit<TextFieldProps, 'type'>

/**
 * The typed password can be shown: a long one is easier to get right. The input takes more characters than the
 * rule, because a browser would shorten a pasted password without notice.
 */
export function PasswordField(props: PasswordFieldProps) {
  const { label, name, help, error, fault, value, onChange, ...rest } = props
  const [shown, setShown] = useState(false)
  return (
    <Field {...{ label, name, help, error, fault }}>
      {(attributes) => (
        <div className="input-with">
          <input
            {...rest}
            {...attributes}
            maxLength={undefined}
            type={shown ? 'text' : 'password'}
            spellCheck={false}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <button
            type="button"
            className="button"
            aria-pressed={shown}
            aria-label={t('Show: {{label}}', { label })}
            onClick={() => setShown(!shown)}
          >
            {shown ? t('Hide') : t('Show')}
          </button>
        </div>
      )}
    </Field>
  )
}

type SearchFieldProps = {
  label: string
  value: string
  onChange: (value: string) => void
}

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  return (
    <span className="search">
      <Icon name="search" />
      <input
        type="search"
        className="input"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </span>
  )
}
