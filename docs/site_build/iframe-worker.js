// A page opened from disk may not start workers: the search then runs in a hidden frame.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.ready = new Promise((resolve) => {
        this.frame.addEventListener("load", () => resolve(this.start(address)), { once: true });
      });
      document.body.append(this.frame);
    }

    start(address) {
      const { contentWindow, contentDocument } = this.frame;
      contentWindow.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = contentDocument.createElement("script");
      script.src = address;
      contentDocument.body.append(script);
      return new Promise((resolve) => script.addEventListener("load", resolve));
    }

    async postMessage(data) {
      await this.ready;
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }

    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
