import { useId, useState } from 'react'
import { t } from '../../language/text.ts'
import { Icon } from '../Icon.tsx'
import { FieldError } from './Field.tsx'
import './PickMany.css'

/** `detail` distinguishes things of one name. */
export type Choice = { key: string; name: string; detail: string }

type PickManyProps = {
  label: string
  placeholder: string
  choices: readonly Choice[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
  /** Called with what is typed, for choices that are not all there. */
  onType?: (text: string) => void
  error?: string | undefined
}

/** Suggestions at once. The list of a browser gets slow with thousands. */
const SUGGESTED = 50

/** Chooses some of very many things by their names. Each chosen one is a button that takes it out again. */
export function PickMany({
  label,
  placeholder,
  choices,
  chosen,
  onChange,
  onType,
  error,
}: PickManyProps) {
  const id = useId()
  const [text, setText] = useState('')
  const left = choices.filter(({ key }) => !chosen.includes(key))
  const typed = text.trim().toLowerCase()
  const found = left.filter((choice) => wordsOf(choice).toLowerCase().includes(typed))

  function type(next: string): void {
    setText(next)
    onType?.(next.trim())
  }

  function add(choice: Choice | undefined): void {
    if (choice === undefined) return
    type('')
    onChange([...chosen, choice.key])
  }

  return (
    <div className="field pick-many">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        list={`${id}-list`}
        placeholder={placeholder}
        value={text}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        onChange={({ target }) => {
          type(target.value)
          // A suggestion that is chosen comes as its whole text.
          add(left.find((choice) => wordsOf(choice) === target.value))
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || typed === '') return
          // The form is not submitted.
          event.preventDefault()
          add(found[0])
        }}
      />
      <datalist id={`${id}-list`}>
        {found.slice(0, SUGGESTED).map((choice) => (
          <option key={choice.key} value={wordsOf(choice)} />
        ))}
      </datalist>
      <FieldError id={`${id}-error`} error={error} />
      {chosen.length > 0 && (
        <Chosen label={label} choices={choices} chosen={chosen} onChange={onChange} />
      )}
    </div>
  )
}

type ChosenProps = Pick<PickManyProps, 'label' | 'choices' | 'chosen' | 'onChange'>

function Chosen({ label, choices, chosen, onChange }: ChosenProps) {
  return (
    <ul aria-label={t('{{label}}, chosen', { label })}>
      {chosen.map((key) => {
        const name = choices.find((each) => each.key === key)?.name ?? t('No. {{key}}', { key })
        return (
          <li key={key}>
            <button
              type="button"
              aria-label={t('Remove {{name}}', { name })}
              onClick={() => onChange(chosen.filter((each) => each !== key))}
            >
              {name}
              <Icon name="close" size={12} />
            </button>
          </li>
        )
      })}
    </ul>
  )
}

function wordsOf({ name, detail }: Choice): string {
  return `${name} · ${detail}`
}
