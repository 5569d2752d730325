"""An autoencoder by PyTorch: the same layers, the same minibatches, the same optimizer as ours."""

import numpy as np
import torch
from contestant import main
from torch.nn.functional import linear, mse_loss

WIDTHS = [784, 500, 250, 20]


class Autoencoder(torch.nn.Module):
    """Sigmoid units with a linear middle and a linear end; the decoder's weights are the encoder's, transposed, or its own."""

    def __init__(self, tied):
        super().__init__()
        pairs = list(zip(WIDTHS, WIDTHS[1:]))
        weight = lambda a, b: torch.nn.Parameter(torch.nn.init.xavier_uniform_(torch.empty(b, a)))
        self.up = torch.nn.ParameterList([weight(a, b) for a, b in pairs])
        self.down = None if tied else torch.nn.ParameterList([weight(b, a) for a, b in pairs])
        self.up_bias = torch.nn.ParameterList([torch.nn.Parameter(torch.zeros(b)) for _, b in pairs])
        self.down_bias = torch.nn.ParameterList([torch.nn.Parameter(torch.zeros(a)) for a, _ in pairs])

    def forward(self, x):
        last = len(self.up) - 1
        for layer, (weight, bias) in enumerate(zip(self.up, self.up_bias)):
            x = linear(x, weight, bias)
            x = x if layer == last else torch.sigmoid(x)
        for layer in range(last, -1, -1):
            weight = self.up[layer].t() if self.down is None else self.down[layer]
            x = linear(x, weight, self.down_bias[layer])
            x = x if layer == 0 else torch.sigmoid(x)
        return x


def epochs(arguments):
    torch.set_num_threads(arguments.number("threads"))
    torch.manual_seed(0)
    points = arguments.load().astype(np.float64)
    points -= points.mean(axis=0)
    points /= np.sqrt((points**2).mean())
    data = torch.from_numpy(points.astype(np.float32))
    batch, count, tied = (arguments.number(key) for key in ("batch", "epochs", "tied"))

    def train():
        network = Autoencoder(bool(tied))
        # Of its ways to make a step, the fastest on a processor.
        adam = torch.optim.Adam(network.parameters(), lr=0.002, fused=True)
        for _ in range(count):
            order = torch.randperm(len(data))
            for start in range(0, len(data), batch):
                rows = data[order[start : start + batch]]
                adam.zero_grad(set_to_none=True)
                mse_loss(network(rows), rows).backward()
                adam.step()
        return network

    def judge(network):
        with torch.no_grad():
            return {"loss": mse_loss(network(data), data).item()}

    return train, judge


main({"epochs": epochs})
