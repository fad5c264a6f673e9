import 'reflect-metadata'
import serverlessExpress from '@codegenie/serverless-express'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'

// Written without the syntax of decorators, which plain JavaScript does not have yet.
class Greeting {
  hello() {
    return { message: 'hello' }
  }
}
const { prototype } = Greeting
Get('hello')(prototype, 'hello', Object.getOwnPropertyDescriptor(prototype, 'hello'))
Controller()(Greeting)

class App {}
Module({ controllers: [Greeting] })(App)

let serving
async function begin() {
  const app = await NestFactory.create(App, { logger: false })
  await app.init()
  return serverlessExpress({ app: app.getHttpAdapter().getInstance() })
}

export const handler = async (...given) => {
  serving ??= begin()
  return (await serving)(...given)
}
