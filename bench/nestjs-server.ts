import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type pg from 'pg'
import { type ChildServer, startYardstick } from './child-server.ts'

const SOURCE = join(import.meta.dirname, 'nestjs')
const COMPILER = join(import.meta.dirname, '../node_modules/typescript/bin/tsc')

/**
 * Compiles the NestJS build, whose decorators no runtime takes as they are, and starts it over a schema
 * of the database that is its own: its first start makes the tables, empty.
 */
export async function startNestjs(
  database: string,
  sql: pg.Client,
  logFile: string,
): Promise<ChildServer> {
  execFileSync(process.execPath, [COMPILER, '-p', SOURCE], { stdio: ['ignore', 2, 2] })
  await sql.query('CREATE SCHEMA IF NOT EXISTS nestjs')
  process.env.NODE_ENV = 'production'
  return startYardstick('nestjs/dist/main.js', [database], logFile)
}
