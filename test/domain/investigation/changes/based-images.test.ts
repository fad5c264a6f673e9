import { describe, expect, it } from 'vitest'
import { isBasedAnew } from '#shared/domain/investigation/changes/based-images.ts'
import { strongestMechanism } from '#shared/domain/investigation/changes/fitting-mechanism.ts'
import { readDiff } from '#shared/domain/investigation/changes/read-diff.ts'
import type { Symptom } from '#shared/domain/investigation/place/symptoms.ts'

const symptom = (plain: string): Symptom => ({ plain, weight: 1 }) as Symptom
const based = (before: string, after: string) =>
  readDiff(
    ['--- a/api/Dockerfile', '+++ b/api/Dockerfile', '@@ -1 +1 @@', `-${before}`, `+${after}`].join('\n'),
    ['api/Dockerfile'],
  )
const sure = (before: string, after: string) => isBasedAnew(based(before, after))

describe('what is built on another image', () => {
  it('works otherwise where the number or the release of the distribution is another, and seldom where neither is', () => {
    expect(sure('FROM python:3.9-buster', 'FROM python:4.0-buster')).toBe(0.8)
    expect(sure('FROM python:3.9-buster', 'FROM python:3.9-bookworm')).toBe(0.8)
    expect(sure('FROM python:3.9-slim', 'FROM python:3.10-slim')).toBe(0.3)
    expect(sure('FROM golang:v1.22', 'FROM golang:v2.0')).toBe(0.8)
    expect(sure('FROM eclipse-temurin:17-jre', 'FROM eclipse-temurin:17-jdk')).toBe(0.3)
    expect(sure('FROM debian:bookworm', 'FROM alpine:3.20')).toBe(0.8)
    expect(sure('FROM alpine', 'FROM alpine:3.20')).toBe(0.8)
  })

  it('is read with its registry, platform, digest and stage', () => {
    const from = (tag: string) =>
      `FROM --platform=linux/amd64 registry.example/base/ruby:${tag}@sha256:0a1b AS build`
    expect(sure(from('3.1-bullseye'), from('4.0-bullseye'))).toBe(0.8)
  })

  it('is nothing where no image was before, the same one stays, or no image is spoken of', () => {
    expect(sure('# nothing', 'FROM ruby:3.3')).toBe(0)
    expect(sure('FROM ruby:3.3', 'FROM ruby:3.3 AS build')).toBe(0)
    expect(sure('FROM ruby:3.3', '# gone')).toBe(0)
    expect(sure('RUN make a', 'RUN make b')).toBe(0)
  })

  it.each([
    'error:0A000102:SSL routines::unsupported protocol',
    'dh key too small',
    "version `GLIBC_2.34' not found",
    'error while loading shared libraries: libssl.so.1.1: cannot open shared object file',
    'exec format error',
    'x509: certificate signed by unknown authority',
    'Unrecognized VM option UseConcMarkSweepGC',
    'unknown time zone America/Bogota',
  ])('explains %s', (text) => {
    const diff = based('FROM node:18-bullseye', 'FROM node:22-bookworm')
    expect(strongestMechanism(diff, [symptom(text)])).toMatchObject({
      ...{ mechanism: { id: 'based-image', kind: 'dependency', does: 'is built on another image' } },
      score: 0.8,
    })
    expect(strongestMechanism(diff, [symptom('the shelf is green')])).toBeNull()
  })

  it('explains less by words that many faults share', () => {
    const score = strongestMechanism(based('FROM a:1', 'FROM a:2'), [symptom('write EPROTO')])?.score ?? 0
    expect(score).toBeGreaterThan(0)
    expect(score).toBeLessThan(0.4)
  })
})
