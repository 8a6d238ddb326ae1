import type { ComponentProps, ReactNode } from 'react'
import { Link } from 'wouter'
import './Button.css'

export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger' | 'remove'

type Look = { look?: ButtonLook; small?: boolean; icon?: boolean }

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & Look & { busy?: boolean }

/** While it is busy it keeps the focus, and does nothing when it is pressed again. */
export function Button({
  look,
  small,
  icon,
  busy = false,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classOf({ look, small, icon })}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {busy && <span className="spinner" aria-hidden="true" />}
      {children}
    </button>
  )
}

/** Looks like a button, goes somewhere. */
export function ButtonLink({ to, children, ...look }: Look & { to: string; children: ReactNode }) {
  return (
    <Link href={to} className={classOf(look)}>
      {children}
    </Link>
  )
}

/** A file that the server hands out. */
export function DownloadLink({
  href,
  children,
  ...look
}: Look & { href: string; children: ReactNode }) {
  return (
    <a href={href} download className={classOf(look)}>
      {children}
    </a>
  )
}

function classOf({
  look = 'plain',
  small = false,
  icon = false,
}: {
  [Key in keyof Look]: Look[Key] | undefined
}): string {
  const looks = {
    primary: ' button-primary',
    plain: '',
    quiet: ' button-quiet',
    danger: ' button-danger',
    remove: ' button-quiet button-remove',
  }
  return `button${looks[look]}${small ? ' button-small' : ''}${icon ? ' button-icon' : ''}`
}
