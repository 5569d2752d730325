// Pages that are opened from a folder may start no workers, and the search is one. Here it runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.appendChild(frame)
      this.inside = frame.contentWindow
      this.onmessage = this.onerror = null
      addEventListener("message", (event) => {
        if (event.source !== this.inside) return
        const copy = new MessageEvent("message", { data: event.data })
        this.dispatchEvent(copy)
        this.onmessage?.(copy)
      })
      const page = this.inside.document
      page.open()
      page.write(
        "<script>function postMessage(data) {" +
          "parent.dispatchEvent(new MessageEvent('message', { data, source: self })) }</" + "script>" +
          `<script src="${url}"></` + "script>"
      )
      page.close()
      this.ready = new Promise((resolve) => (this.inside.onload = resolve))
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })))
    }

    terminate() {}
  }
  window.Worker = window.IFrameWorker
}
